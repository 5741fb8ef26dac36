/**
 * The command: prints a table, writes the report, and exits with a code for failures.
 * @module
 */
import { open } from 'node:fs/promises'
import { parseArguments, usage, UsageError, type Arguments } from './arguments.ts'
import { conformance } from './conformance.ts'
import { unreachable } from './reach.ts'
import type { Row } from './report.ts'
import { createTable, listText, summaryText } from './table.ts'

const exitCodes = { passed: 0, failed: 1, notRun: 2 } as const

async function main(): Promise<number> {
  const given = parseArguments(process.argv.slice(2), process.env)
  if (given.action === 'help') return print(usage)
  if (given.action === 'list') return print(listText(given.checks))
  const reason = await unreachable({ name: given.socket, timeoutMs: given.timeoutMs })
  if (reason !== undefined) return complain(reason)
  return run(given)
}

async function run({ socket, checks, timeoutMs, json }: Arguments): Promise<number> {
  // Opened first: a wrong path should fail before the run.
  const file = json === undefined ? undefined : await open(json, 'w')
  const table = createTable(checks)
  print(table.head())
  const onRow = (row: Row) => void print(table.row(row))
  const report = await conformance(socket, { checks, timeoutMs, onRow })
  print(summaryText(report))
  await file?.writeFile(`${JSON.stringify(report, undefined, 2)}\n`)
  await file?.close()
  return report.counts.failed > 0 ? exitCodes.failed : exitCodes.passed
}

function print(text: string): number {
  process.stdout.write(text)
  return exitCodes.passed
}

function complain(message: string): number {
  process.stderr.write(`conformance: ${message}\n`)
  return exitCodes.notRun
}

// If the reader of the output exits (`… | head`), the run continues.
process.stdout.on('error', () => {})
try {
  process.exitCode = await main()
} catch (error) {
  const { syscall, message } = error as NodeJS.ErrnoException
  // A failed system call concerns the report's file; any other error is a fault of the kit.
  if (!(error instanceof UsageError) && syscall === undefined) throw error
  process.exitCode = complain(error instanceof UsageError ? `${message}\n\n${usage}` : message)
}
