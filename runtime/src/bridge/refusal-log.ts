/**
 * Logs refused callers: the first of each reason at once, later ones as sums, because a refused
 * process can retry thousands of times a second.
 * @module
 */
import { readFileSync } from 'node:fs'
import type { EngineRefusal, RefusalReason } from '@causeway/native'
import { orNone } from '@causeway/service/failure'
import type { Logger } from '@causeway/service/log'
import { describeRefusal } from './admission.ts'

const sumIntervalMs = 10_000

export interface RefusalLog {
  /** Counts refused callers, and logs them now or later. */
  add: (refusal: EngineRefusal) => void
  /** Logs the refusals that have not been logged yet. */
  flush: () => void
}

/** @param facts what else each line says, such as whose bridge it is */
export function createRefusalLog(log: Logger, facts: object = {}): RefusalLog {
  // Refusals by reason since the logged one.
  const more = new Map<RefusalReason, number>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const refused = [...more].filter(([, count]) => count > 0)
    const sum = refused.reduce((total, [, count]) => total + count, 0)
    more.clear()
    if (sum === 0) return
    log.warn({ ...facts, refused: Object.fromEntries(refused) }, `${sum} more callers refused`)
  }
  const add = (refusal: EngineRefusal) => {
    const { reason, count } = refusal
    if (!more.has(reason)) tell(log, facts, refusal)
    more.set(reason, (more.get(reason) ?? -1) + count)
    timer ??= setTimeout(flush, sumIntervalMs).unref()
  }
  return { add, flush }
}

function tell(log: Logger, facts: object, refusal: EngineRefusal): void {
  const { reason, observed } = refusal
  const peer = { ...refusal.peer, command: commandOf(refusal.peer.pid) }
  log.warn({ ...facts, peer, reason, observed }, `caller refused: ${describeRefusal(refusal)}`)
}

/** The name that the process gave itself; the process may be gone, or replaced by another one. */
function commandOf(pid: number): string | undefined {
  return orNone(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd())
}
