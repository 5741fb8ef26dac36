/** `causeway logs`: prints what a deployment's jobs printed and what happened to them. @module */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Inputs, LogEntry, LogStream } from '../../control/protocol.ts'
import { entryBytes } from '../../supervisor/log/log-entry.ts'
import { onDeployment, type ControlFlags } from './control.ts'
import { printable } from '../print/printable.ts'

interface LogsFlags extends ControlFlags {
  follow?: boolean
  since?: number
  tail?: number
  stream?: LogStream[]
  json?: boolean
}

export const logs = onDeployment(async ({ client, params }, flags: LogsFlags) => {
  const query = queryOf(flags)
  const entries = client.lines('GET /v1/deployments/:id/logs', { params, query })
  for await (const entry of entries) await show(entry, flags)
})

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

/** Writes bytes as they are, but to a terminal without control sequences. */
async function write(to: Writable & { isTTY?: boolean }, bytes: Buffer): Promise<void> {
  const shown = to.isTTY ? printable(bytes.toString('utf8').replaceAll('\t', '    ')) : bytes
  if (!to.write(shown)) await once(to, 'drain')
}
