/**
 * `causeway logs`: what a deployment's jobs printed, and what happened to them.
 * @module
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { logStreams, type Inputs, type LogEntry, type LogStream } from '../../control/protocol.ts'
import { entryBytes } from '../../supervisor/log/log-entry.ts'
import {
  deploymentCommand,
  onDeployment,
  type ControlFlags,
  type OneDeployment,
} from './control.ts'
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

async function logs({ client, params }: OneDeployment, flags: LogsFlags): Promise<void> {
  const query = queryOf(flags)
  const entries = client.lines('GET /v1/deployments/:id/logs', { params, query })
  for await (const entry of entries) await show(entry, flags)
}

type LogsQuery = NonNullable<Inputs['GET /v1/deployments/:id/logs']['query']>

function queryOf({ follow, since, tail, stream }: LogsFlags): LogsQuery {
  return {
    follow: follow ? '1' : '0',
    ...(since !== undefined && { since: String(since) }),
    ...(tail !== undefined && { tail: String(tail) }),
    ...(stream && { stream }),
  }
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
