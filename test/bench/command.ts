/**
 * What `npm run bench` does.
 * @module
 */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import type { Group } from './group.ts'
import { groups } from './groups.ts'
import { takeTurn } from './machine/turn.ts'
import { parseOptions, usage, UsageError, type BenchOptions } from './options.ts'
import type { Row } from './row.ts'
import { runGroup } from './run-group.ts'
import { renderTable } from './table.ts'

/** Where it says things. */
export interface Output {
  out: (text: string) => void
  err: (text: string) => void
}

/** @returns its exit code; never rejects */
export async function runCommand(argv: readonly string[], output: Output): Promise<number> {
  try {
    return await act(argv, output)
  } catch (error) {
    const isUsage = error instanceof UsageError
    output.err(`bench: ${(error as Error).message}\n${isUsage ? `\n${usage}` : ''}`)
    return isUsage ? 2 : 1
  }
}

async function act(argv: readonly string[], output: Output): Promise<number> {
  const options = parseOptions(
    argv,
    groups.map(({ name }) => name),
  )
  if (options.help) output.out(usage)
  else if (options.list) output.out(listOfGroups())
  else return await measureAll(options, output)
  return 0
}

const listOfGroups = () => groups.map(({ name, summary }) => `${name}: ${summary}\n`).join('')

async function measureAll(options: BenchOptions, output: Output): Promise<number> {
  expectWritable(options)
  const signal = abortOnSignals()
  const onWait = () => tell(output, 'another benchmark runs: waiting for its end')
  const endTurn = await takeTurn({ onWait, signal })
  const { rows, failed } = await measure(options, output, signal)
  endTurn()
  writeRows(options, rows)
  const missed = rows.filter(({ holds }) => holds === false).length
  if (missed > 0) output.out(`${missed} of ${rows.length} rows miss their target\n`)
  return failed || (missed > 0 && options.strict) ? 1 : 0
}

async function measure(
  options: BenchOptions,
  output: Output,
  signal: AbortSignal,
): Promise<{ rows: Row[]; failed: boolean }> {
  const chosen = groups.filter(
    ({ name }) => options.groups.length === 0 || options.groups.includes(name),
  )
  const rows: Row[] = []
  let failed = false
  for (const group of chosen) {
    const measured = await measureGroup(group, { ...options, output, signal })
    if (measured) rows.push(...measured)
    else failed = true
  }
  return { rows, failed }
}

/** Undefined for a group that fails: the others are worth having all the same. */
async function measureGroup(
  group: Group,
  { output, signal, ...options }: BenchOptions & { output: Output; signal: AbortSignal },
): Promise<Row[] | undefined> {
  const progress = (text: string) => tell(output, `${group.name}: ${text}`)
  try {
    const rows = await runGroup(group, { ...options, progress, signal })
    output.out(`${renderTable(`${group.name}: ${group.summary}`, rows)}\n`)
    return rows
  } catch (error) {
    if (signal.aborted) throw error
    output.err(`bench: ${group.name}: ${(error as Error).message}\n`)
    return undefined
  }
}

/** Now, not after minutes of measuring; what an earlier run wrote stays until this one has rows. */
function expectWritable({ json }: BenchOptions): void {
  if (json !== undefined) closeSync(openSync(json, 'a'))
}

function writeRows({ json }: BenchOptions, rows: readonly Row[]): void {
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(rows, null, 2)}\n`)
}

function abortOnSignals(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => controller.abort(new Error(`stopped by ${name}`)))
  return controller.signal
}

function tell({ err }: Output, text: string): void {
  err(`… ${text}\n`)
}
