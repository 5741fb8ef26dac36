/** `causeway logs`: prints what a deployment's jobs printed and what happened to them. @module */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Inputs, LogEntry, LogStream } from '../../control/protocol.ts'
import { entryBytes } from '../../supervisor/log/log-entry.ts'
import { onDeployment, type ControlFlags } from './control.ts'
import { jsonLine } from '../print/printable.ts'
import { createScreen, type Screen } from '../print/screen.ts'

interface LogsFlags extends ControlFlags {
  follow?: boolean
  since?: number
  tail?: number
  stream?: LogStream[]
  json?: boolean
  raw?: boolean
}

export const logs = onDeployment(async ({ client, params }, flags: LogsFlags) => {
  const query = queryOf(flags)
  const entries = client.lines('GET /v1/deployments/:id/logs', { params, query })
  const show = flags.json ? showJson : showOn(createScreen(flags.raw))
  for await (const entry of entries) await show(entry)
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

function showJson(entry: LogEntry): Promise<void> {
  return write(process.stdout, jsonLine(entry))
}

function showOn(screen: Screen): (entry: LogEntry) => Promise<void> {
  const { stdout, stderr } = process
  const shown = { stdout: screen.ofJob(stdout), stderr: screen.ofJob(stderr) }
  return (entry) => {
    const { stream, time, text = '' } = entry
    if (stream === 'host') return write(stderr, screen.ofHost(stderr, `causeway ${time}`, text))
    return write(stream === 'stdout' ? stdout : stderr, shown[stream](entryBytes(entry)))
  }
}

async function write(to: Writable, shown: Buffer | string): Promise<void> {
  if (!to.write(shown)) await once(to, 'drain')
}
