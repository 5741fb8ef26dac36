/**
 * Refused callers in the log: the first of each reason at once, the rest as sums, because whoever
 * is refused can come thousands of times a second.
 * @module
 */
import { readFileSync } from 'node:fs'
import type { EngineRefusal, RefusalReason } from '@causeway/native'
import type { Logger } from '@causeway/service/log'
import { describeRefusal } from './admission.ts'

const sumIntervalMs = 10_000

export interface RefusalLog {
  /** Counts refused callers, and tells of them now or later. */
  add: (refusal: EngineRefusal) => void
  /** Tells of what has not been told yet. */
  flush: () => void
}

export function createRefusalLog(log: Logger): RefusalLog {
  // By reason, those that came after the one that was told.
  const more = new Map<RefusalReason, number>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const refused = [...more].filter(([, count]) => count > 0)
    const sum = refused.reduce((total, [, count]) => total + count, 0)
    more.clear()
    if (sum === 0) return
    log.warn({ refused: Object.fromEntries(refused) }, `${sum} more callers refused`)
  }
  const add = (refusal: EngineRefusal) => {
    const { reason, count } = refusal
    if (!more.has(reason)) tell(log, refusal)
    more.set(reason, (more.get(reason) ?? -1) + count)
    timer ??= setTimeout(flush, sumIntervalMs).unref()
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
