/**
 * `causeway logs`: what a deployment's jobs printed, and what happened to them.
 * @module
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { DeploymentClient } from '../../control/deployment-client.ts'
import {
  entryBytes,
  logStreams,
  type LogEntry,
  type LogStream,
} from '../../supervisor/log/log-entry.ts'
import { deploymentCommand, onDeployment, type ControlFlags } from './control.ts'
import { printable } from '../print/printable.ts'

interface LogsFlags extends ControlFlags {
  follow?: boolean
  since?: number
  tail?: number
  stream?: LogStream[]
  json?: boolean
}

export function logsCommand(): Command {
  return deploymentCommand('logs', 'print a deployment’s log')
    .option('-f, --follow', 'go on until nothing more is planned for it')
    .option('--since <seq>', 'only entries with a higher number', wholeNumber)
    .option('--tail <n>', 'only the last entries', wholeNumber)
    .addOption(new Option('--stream <name...>', 'only these').choices(logStreams))
    .option('--json', 'print the entries: one JSON document a line, with its number')
    .addHelpText(
      'after',
      '\nWhat the job wrote to stderr and what the host says goes to stderr, unless --json is given.',
    )
    .action(onDeployment(logs))
}

async function logs(deployment: DeploymentClient, flags: LogsFlags): Promise<void> {
  const entries = deployment.lines<LogEntry>(`/logs?${queryOf(flags).toString()}`)
  for await (const entry of entries) await show(entry, flags)
}

function queryOf({ follow, since, tail, stream = [] }: LogsFlags): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of stream) query.append('stream', name)
  if (follow) query.set('follow', '1')
  if (since !== undefined) query.set('since', String(since))
  if (tail !== undefined) query.set('tail', String(tail))
  return query
}

async function show(entry: LogEntry, { json }: LogsFlags): Promise<void> {
  if (json) return write(process.stdout, Buffer.from(`${JSON.stringify(entry)}\n`))
  if (entry.stream === 'stdout') return write(process.stdout, entryBytes(entry))
  const mark = entry.stream === 'host' ? `causeway ${entry.time} ` : ''
  await write(process.stderr, Buffer.concat([Buffer.from(mark), entryBytes(entry)]))
}

/** To a terminal without what could rewrite it, to anything else byte for byte. */
async function write(to: Writable & { isTTY?: boolean }, bytes: Buffer): Promise<void> {
  const shown = to.isTTY ? printable(bytes.toString('utf8').replaceAll('\t', '    ')) : bytes
  if (!to.write(shown)) await once(to, 'drain')
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  throw new InvalidArgumentError('expected a whole number')
}
