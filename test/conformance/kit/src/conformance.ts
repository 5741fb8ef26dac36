/**
 * The kit as a library: runs the checks against the bridge on an abstract Unix socket.
 * @module
 */
import { nodeForm } from './address.ts'
import { openBridge, type BridgeOptions } from './bridge.ts'
import type { Check } from './check.ts'
import { allChecks } from './checks/all-checks.ts'
import { CheckFailed, CheckSkipped, shown } from './outcome.ts'
import { countRows, kitVersion, type Report, type Row } from './report.ts'

/** Time for one reply, ms. */
export const defaultTimeoutMs = 5000

// Time limit of a whole check, as a multiple of a reply's.
const repliesPerCheck = 10

/** Options of a run. */
export interface ConformanceOptions {
  /** Default all. */
  checks?: readonly Check[]
  /** Longest wait for any one reply, ms; ten times that for one check. Default 5000. */
  timeoutMs?: number
  /** Called with each row as soon as it is known. */
  onRow?: (row: Row) => void
}

/**
 * Runs the checks one after another; never rejects because of what the bridge does.
 * @param bridge name of its abstract socket, without the leading NUL
 */
export async function conformance(
  bridge: string,
  { checks = allChecks, timeoutMs = defaultTimeoutMs, onRow }: ConformanceOptions = {},
): Promise<Report> {
  const started = new Date()
  const rows: Row[] = []
  for (const check of checks) {
    const row = await runCheck(check, { name: bridge, timeoutMs })
    rows.push(row)
    onRow?.(row)
  }
  return {
    bridge,
    kit: kitVersion,
    node: process.versions.node,
    address: nodeForm,
    started: started.toISOString(),
    durationMs: Date.now() - started.getTime(),
    counts: countRows(rows),
    rows,
  }
}

async function runCheck(check: Check, options: BridgeOptions): Promise<Row> {
  const { id, section, title, profile = 'spec' } = check
  const row = { id, section, title, profile }
  try {
    await runInTime(check, options)
    return { ...row, status: 'passed' }
  } catch (error) {
    if (error instanceof CheckSkipped) {
      return { ...row, status: 'skipped', detail: { why: error.message } }
    }
    return { ...row, status: 'failed', detail: failureOf(error) }
  }
}

/** Any error of a check was caused by the bridge. */
function failureOf(error: unknown): { expected: string; found: string } {
  if (!(error instanceof CheckFailed))
    return { expected: 'what this check can judge', found: `it threw ${shown(String(error))}` }
  const { expected, found } = error
  return { expected, found }
}

async function runInTime(check: Check, options: BridgeOptions): Promise<void> {
  const bridge = openBridge(options)
  const limitMs = options.timeoutMs * repliesPerCheck
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const failure = new CheckFailed('an end of the check', `none within ${limitMs} ms`)
    timer = setTimeout(() => reject(failure), limitMs)
  })
  try {
    const run = check.run(bridge)
    // An abandoned check also fails later, when its connections close.
    run.catch(() => {})
    await Promise.race([run, late])
  } finally {
    clearTimeout(timer)
    bridge.close()
  }
}
