/**
 * `npm run bench`: the numbers that must be kept, each beside its floor.
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

async function main(argv: readonly string[]): Promise<void> {
  const options = parseOptions(
    argv,
    groups.map(({ name }) => name),
  )
  if (options.help) return print(usage)
  if (options.list) return groups.forEach(({ name, summary }) => print(`${name}: ${summary}\n`))
  expectWritable(options)
  const signal = abortOnSignals()
  const onWait = () => tell('another benchmark runs: waiting for its end')
  const endTurn = await takeTurn({ onWait, signal })
  const rows = await measure(options, signal)
  endTurn()
  writeRows(options, rows)
  const missed = rows.filter(({ holds }) => holds === false).length
  if (missed > 0) print(`${missed} of ${rows.length} rows miss their target\n`)
  if (missed > 0 && options.strict) process.exitCode = 1
}

async function measure(options: BenchOptions, signal: AbortSignal): Promise<Row[]> {
  const chosen = groups.filter(
    ({ name }) => options.groups.length === 0 || options.groups.includes(name),
  )
  const all: Row[] = []
  for (const group of chosen) all.push(...(await measureGroup(group, options, signal)))
  return all
}

/** A failed group has no rows: the other groups are still useful. */
async function measureGroup(
  group: Group,
  options: BenchOptions,
  signal: AbortSignal,
): Promise<Row[]> {
  const progress = (text: string) => tell(`${group.name}: ${text}`)
  try {
    const rows = await runGroup(group, { ...options, progress, signal })
    print(`${renderTable(`${group.name}: ${group.summary}`, rows)}\n`)
    return rows
  } catch (error) {
    if (signal.aborted) throw error
    process.stderr.write(`bench: ${group.name}: ${(error as Error).message}\n`)
    process.exitCode = 1
    return []
  }
}

/** Fails before minutes of measuring; an earlier run's file stays until there are new rows. */
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

function print(text: string): void {
  process.stdout.write(text)
}

function tell(text: string): void {
  process.stderr.write(`… ${text}\n`)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (error instanceof UsageError) process.stderr.write(`bench: ${error.message}\n\n${usage}`)
  else process.stderr.write(`bench: ${(error as Error).message}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
// After a signal, pending work must not keep the process alive.
process.exit()
