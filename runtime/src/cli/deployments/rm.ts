/** `causeway rm`: removes a deployment from the daemon. @module */
import { onDeployment, type ControlFlags } from './control.ts'
import { print } from '../print/printable.ts'

interface RmFlags extends ControlFlags {
  force?: boolean
  keys?: boolean
}

export const rm = onDeployment(async ({ client, params }, { force, keys }: RmFlags) => {
  const query = { force: force ? '1' : '0', keys: keys ? '1' : '0' } as const
  await client.call('DELETE /v1/deployments/:id', { params, query })
  print(`✓ deployment ${params.id}: removed`)
})
