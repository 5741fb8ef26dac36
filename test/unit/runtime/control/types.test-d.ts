/**
 * What must and must not compile of the control API. Checked by `tsc -p test`; nothing here is run.
 */
import { expectTypeOf } from 'vitest'
import type { ControlClient } from '../../../../runtime/src/control/client.ts'
import type {
  DeploymentDetail,
  DeploymentEvent,
  NetworkView,
  Status,
} from '../../../../runtime/src/control/protocol.ts'
import type { Route } from '../../../../runtime/src/control/routes.ts'
import type { ExecutionEvent } from '../../../../runtime/src/execution/contract/request.ts'
import type { JobExit } from '../../../../runtime/src/sandbox/exit.ts'
import type { NetworkView as OwnNetworkView } from '../../../../runtime/src/network/network-view.ts'

export async function compiles(client: ControlClient) {
  const params = { id: 'one' }
  expectTypeOf(await client.call('GET /v1/status')).toExtend<Status>()
  expectTypeOf(
    await client.call('GET /v1/deployments/:id', { params }),
  ).toExtend<DeploymentDetail>()
  for await (const event of client.lines('GET /v1/deployments/:id/events', { params }))
    if (event.type === 'state') expectTypeOf(event.deployment.name).toEqualTypeOf<string>()
}

/** What the daemon has in its own words is what the protocol says, no more and no less. */
export function agrees() {
  expectTypeOf<ExecutionEvent>().toExtend<DeploymentEvent>()
  expectTypeOf<
    Extract<DeploymentEvent, { type: ExecutionEvent['type'] }>
  >().toExtend<ExecutionEvent>()
  expectTypeOf<NonNullable<DeploymentDetail['exit']>>().toExtend<JobExit>()
  expectTypeOf<JobExit>().toExtend<NonNullable<DeploymentDetail['exit']>>()
  expectTypeOf<NetworkView>().toExtend<OwnNetworkView>()
  expectTypeOf<OwnNetworkView>().toExtend<NetworkView>()
}

export async function doesNotCompile(client: ControlClient) {
  const params = { id: 'one' }
  // @ts-expect-error: no request of the protocol
  await client.call('GET /v1/nothing')
  // @ts-expect-error: without its deployment
  await client.call('GET /v1/deployments/:id')
  // @ts-expect-error: a query that it does not have
  await client.call('GET /v1/deployments/:id', { params, query: { force: '1' } })
  // @ts-expect-error: a body without its file
  await client.call('POST /v1/deployments', { body: {} })
  // @ts-expect-error: a stream is no call
  await client.call('GET /v1/deployments/:id/logs', { params })
  // @ts-expect-error: an answer without most of its fields
  const status: Route<'GET /v1/status'> = () => ({ pid: 1 })
  // @ts-expect-error: a field of another type
  const stop: Route<'POST /v1/deployments/:id/stop'> = async () => ({ name: 'x', state: 'gone' })
  // @ts-expect-error: one answer in place of a stream
  const events: Route<'GET /v1/deployments/:id/events'> = () => ({ type: 'warning', message: '' })
  return [status, stop, events]
}
