/**
 * Refused callers in the log: the first at once, the rest as sums by reason, because whoever
 * is refused can come thousands of times a second.
 * @module
 */
import { readFileSync } from 'node:fs'
import type { EngineRefusal, RefusalReason } from '@causeway/native'
import type { Logger } from 'pino'
import { describeRefusal } from './admission.ts'

const sumIntervalMs = 10_000

export interface RefusalLog {
  /** Counts refused callers, and tells of them now or later. */
  add: (refusal: EngineRefusal) => void
  /** Tells of what has not been told yet. */
  flush: () => void
}

export function createRefusalLog(log: Logger): RefusalLog {
  const untold = new Map<RefusalReason, number>()
  let timer: NodeJS.Timeout | undefined
  const count = (reason: RefusalReason, more: number) => {
    if (more > 0) untold.set(reason, (untold.get(reason) ?? 0) + more)
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const refused = Object.fromEntries(untold)
    const sum = [...untold.values()].reduce((total, more) => total + more, 0)
    if (sum > 0) log.warn({ refused }, `${sum} more callers refused`)
    untold.clear()
  }
  const add = (refusal: EngineRefusal) => {
    if (timer) return count(refusal.reason, refusal.count)
    timer = setTimeout(flush, sumIntervalMs).unref()
    tell(log, refusal)
    count(refusal.reason, refusal.count - 1)
  }
  return { add, flush }
}

function tell(log: Logger, refusal: EngineRefusal): void {
  const { reason, observed } = refusal
  const peer = { ...refusal.peer, command: commandOf(refusal.peer.pid) }
  log.warn({ peer, reason, observed }, `caller refused: ${describeRefusal(refusal)}`)
}

/** The process's name as it set it itself; it may be gone, or another one by now. */
function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd()
  } catch {
    return undefined
  }
}
