/** `causeway stop` and `causeway start`: end a deployment, and let it run again. @module */
import type { DeploymentDetail } from '../../control/protocol.ts'
import { onDeployment, type ControlFlags } from './control.ts'
import { print } from '../print/printable.ts'

interface StopFlags extends ControlFlags {
  grace?: number
}

export const stop = onDeployment(async ({ client, params }, { grace: graceMs }: StopFlags) => {
  const body = { ...(graceMs !== undefined && { graceMs }) }
  show(await client.call('POST /v1/deployments/:id/stop', { params, body }))
})

export const start = onDeployment(async ({ client, params }) => {
  show(await client.call('POST /v1/deployments/:id/start', { params }))
})

function show({ id, state }: DeploymentDetail): void {
  print(`✓ deployment ${id}: ${state}`)
}
