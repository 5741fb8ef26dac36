/** What the control socket does for each request of the protocol. @module */
import type { Supervisor, Watch } from '../supervisor/supervisor.ts'
import type { Answer, EventLine, Protocol, RequestName, Status, StreamName } from './protocol.ts'
import type * as v from 'valibot'

/** What a request is answered from. */
export interface RouteContext {
  supervisor: Supervisor
  status: () => Status
}

/** A request that fits the protocol. */
export interface RouteCall<R extends RequestName> extends RouteContext {
  params: v.InferOutput<Protocol[R]['params']>
  query: v.InferOutput<Protocol[R]['query']>
  body: v.InferOutput<Protocol[R]['body']>
  /** Aborted when the client goes away. */
  signal: AbortSignal
}

/** Lines of a stream: one to be written as JSON, or some that are JSON already. */
export type Lines<R extends RequestName> = AsyncIterable<Answer<R> | readonly string[]>

type Reply<R extends RequestName> = R extends StreamName ? Lines<R> : Answer<R>

export type Route<R extends RequestName> = (call: RouteCall<R>) => Reply<R> | Promise<Reply<R>>

export const routes: { readonly [R in RequestName]: Route<R> } = {
  'GET /v1/status': ({ status }) => status(),
  'GET /v1/deployments': ({ supervisor }) => {
    const recovery = supervisor.recovery()
    return { deployments: supervisor.list(), ...(recovery && { recovery }) }
  },
  'POST /v1/deployments': ({ supervisor, body }) => supervisor.deploy(body),
  'GET /v1/deployments/:id': ({ supervisor, params }) => supervisor.inspect(params.id),
  'DELETE /v1/deployments/:id': async ({ supervisor, params, query: { force, keys } }) => {
    await supervisor.remove(params.id, { force, forgetKeys: keys })
    return {}
  },
  'POST /v1/deployments/:id/stop': ({ supervisor, params, body }) =>
    supervisor.stop(params.id, body.graceMs),
  'POST /v1/deployments/:id/start': ({ supervisor, params }) => supervisor.start(params.id),
  'GET /v1/deployments/:id/logs': logs,
  'GET /v1/deployments/:id/events': ({ supervisor, params, signal }) =>
    eventLines(supervisor.watch(params.id), signal),
  'GET /v1/deployments/:id/network': ({ supervisor, params }) => supervisor.network(params.id),
}

function logs(call: RouteCall<'GET /v1/deployments/:id/logs'>) {
  const { since, tail, follow, stream } = call.query
  const { output, isAtRest } = call.supervisor.watch(call.params.id)
  const wanted = {
    ...(since !== undefined && { since }),
    ...(tail !== undefined && { tail }),
    ...(stream && { streams: new Set(stream) }),
    // The answer outlasts restarts of the job: it ends when nothing more can come.
    ...(follow && { follow: () => !isAtRest() }),
  }
  return output.read(wanted, call.signal)
}

/** Begins to listen before it reads the state: no event is lost between the two. */
async function* eventLines(
  { feed, detail }: Watch,
  signal: AbortSignal,
): AsyncGenerator<EventLine> {
  const events = feed.listen(signal)
  yield { type: 'state', deployment: detail() }
  yield* events
}
