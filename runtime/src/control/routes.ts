/**
 * What the control socket offers: the list of its requests.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { logStreams } from '../supervisor/log/log-entry.ts'
import type { Supervisor, Watch } from '../supervisor/supervisor.ts'
import { clientSignal, sendLines } from './lines.ts'
import { readJson, readQuery } from './request.ts'

/** What a request is answered from. */
export interface RouteContext {
  supervisor: Supervisor
  status: () => Readonly<Record<string, unknown>>
}

export interface RouteCall extends RouteContext {
  request: IncomingMessage
  response: ServerResponse
  query: URLSearchParams
  /** Id, or beginning of the name, of a deployment; empty where the path has none. */
  reference: string
}

/** Answers with what is sent as JSON; undefined when it has sent its answer. */
export type Route = (call: RouteCall) => unknown

const deployBody = v.strictObject({
  file: v.pipe(v.string(), v.startsWith('/', 'expected an absolute path')),
  replace: v.optional(v.boolean(), false),
  allowLocalImages: v.optional(v.boolean(), false),
})
const maxGraceMs = 600_000
const stopBody = v.strictObject({
  graceMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxGraceMs))),
})

const yes = v.optional(
  v.pipe(
    v.picklist(['0', '1']),
    v.transform((text) => text === '1'),
  ),
  '0',
)
const removeQuery = v.strictObject({ force: yes, keys: yes })
const maxTail = 100_000
const count = (most: number) =>
  v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,15}$/, 'expected a whole number'),
      v.transform(Number),
      v.maxValue(most, `expected at most ${most}`),
    ),
  )
const logsQuery = v.strictObject({
  since: count(Number.MAX_SAFE_INTEGER),
  tail: count(maxTail),
  follow: yes,
  stream: v.exactOptional(v.array(v.picklist(logStreams))),
})

/** Method and path → what is done; `:id` stands for a reference. */
export const routes: Readonly<Record<string, Route>> = {
  'GET /v1/status': ({ status }) => status(),
  'GET /v1/deployments': ({ supervisor }) => ({ deployments: supervisor.list() }),
  'POST /v1/deployments': async ({ supervisor, request }) =>
    supervisor.deploy(await readJson(request, deployBody)),
  'GET /v1/deployments/:id': ({ supervisor, reference }) => supervisor.inspect(reference),
  'DELETE /v1/deployments/:id': remove,
  'POST /v1/deployments/:id/stop': async ({ supervisor, reference, request }) => {
    const { graceMs } = await readJson(request, stopBody)
    return supervisor.stop(reference, graceMs)
  },
  'POST /v1/deployments/:id/start': ({ supervisor, reference }) => supervisor.start(reference),
  'GET /v1/deployments/:id/logs': logs,
  'GET /v1/deployments/:id/events': events,
  'GET /v1/deployments/:id/network': ({ supervisor, reference }) => supervisor.network(reference),
}

async function remove({ supervisor, reference, query }: RouteCall): Promise<object> {
  const { force, keys } = readQuery(query, removeQuery)
  await supervisor.remove(reference, { force, forgetKeys: keys })
  return {}
}

async function logs({ supervisor, reference, query, response }: RouteCall): Promise<void> {
  const { since, tail, follow, stream } = readQuery(query, logsQuery, ['stream'])
  const { output, isAtRest } = supervisor.watch(reference)
  const wanted = {
    ...(since !== undefined && { since }),
    ...(tail !== undefined && { tail }),
    ...(stream && { streams: new Set(stream) }),
    // Until nothing more can come; a restart of the job is no end.
    ...(follow && { follow: () => !isAtRest() }),
  }
  await sendLines(response, joined(output.read(wanted, clientSignal(response))))
}

async function* joined(source: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of source) yield `${lines.join('\n')}\n`
}

async function events({ supervisor, reference, response }: RouteCall): Promise<void> {
  await sendLines(response, asLines(supervisor.watch(reference), clientSignal(response)))
}

/** How it is, and then what happens: nothing is lost between the two. */
async function* asLines({ feed, detail }: Watch, signal: AbortSignal): AsyncGenerator<string> {
  const source = feed.listen(signal)
  yield `${JSON.stringify({ type: 'state', deployment: detail() })}\n`
  for await (const event of source) yield `${JSON.stringify(event)}\n`
}
