/**
 * Refused connections in the log: the first at once, the rest as a sum, because whoever is refused
 * can come thousands of times a second.
 * @module
 */
import type { Logger } from 'pino'
import type { RpcError } from './errors.ts'
import type { CallContext } from './methods.ts'

const sumIntervalMs = 10_000

/** Tells of one refused connection. */
export type LogRefusal = (peer: CallContext['peer'], refusal: RpcError) => void

export function createRefusalLog(log: Logger): LogRefusal {
  let unsaid = 0
  let timer: NodeJS.Timeout | undefined
  const sum = () => {
    timer = undefined
    if (unsaid > 0) log.warn({ refused: unsaid }, `${unsaid} more connections refused`)
    unsaid = 0
  }
  return (peer, refusal) => {
    if (timer) return void unsaid++
    timer = setTimeout(sum, sumIntervalMs).unref()
    log.warn({ peer, kind: refusal.kind }, `connection refused: ${refusal.message}`)
  }
}
