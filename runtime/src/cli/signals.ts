/**
 * Turns Ctrl-C, SIGTERM and a closed terminal into an orderly end of what a command does.
 * @module
 */
import { readFileSync, readlinkSync } from 'node:fs'

/** After a second signal a daemon ends itself within this time, whatever hangs. */
export const mostEndingMs = 5_000

const endings = ['SIGINT', 'SIGTERM'] as const

/** The first of these signals aborts the result; the second ends the process at once. */
export function abortOnSignals(): AbortSignal {
  return abortOneByOne(endingSignals(), [new AbortController()])
}

/**
 * The first of these signals aborts `stop`, the second `noGrace`; a third ends the process at once.
 * @param onHangup is called for SIGHUP, which ends nothing then
 */
export function stopOrEndGraceOnSignals(onHangup?: () => void): {
  stop: AbortSignal
  noGrace: AbortSignal
} {
  const noGrace = new AbortController()
  const signals = onHangup ? endings : endingSignals()
  if (onHangup && !isUnderNohup()) process.on('SIGHUP', onHangup)
  return { stop: abortOneByOne(signals, [new AbortController(), noGrace]), noGrace: noGrace.signal }
}

function endingSignals(): readonly NodeJS.Signals[] {
  return isUnderNohup() ? endings : [...endings, 'SIGHUP']
}

/** Node gives signals that are ignored their default again, which is to end; nohup(1) knows better. */
export function ignoreHangupUnderNohup(): void {
  if (isUnderNohup()) process.on('SIGHUP', () => {})
}

const accessMode = 0o3
const writeOnly = 0o1

/**
 * Whether nohup(1) started this process. When Node runs, nothing says any more which signals were
 * ignored; but nohup leaves a stdin that can only be written to, in place of a terminal.
 */
function isUnderNohup(): boolean {
  try {
    const facts = readFileSync('/proc/self/fdinfo/0', 'utf8')
    const flags = Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(facts)?.[1] ?? '0', 8)
    return readlinkSync('/proc/self/fd/0') === '/dev/null' && (flags & accessMode) === writeOnly
  } catch {
    // stdin is closed, or there is no /proc.
    return false
  }
}

/** @returns the signal of the first controller */
function abortOneByOne(
  signals: readonly NodeJS.Signals[],
  [first, ...others]: [AbortController, ...AbortController[]],
): AbortSignal {
  const waiting = [first, ...others]
  const abort = (signal: NodeJS.Signals) => {
    waiting.shift()?.abort(new Error(`stopped by ${signal}`))
    if (waiting.length > 0) return
    for (const name of signals) process.off(name, abort)
  }
  for (const name of signals) process.on(name, abort)
  return first.signal
}
