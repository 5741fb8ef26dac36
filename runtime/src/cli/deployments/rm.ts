/**
 * `causeway rm`: removes a deployment from the daemon.
 * @module
 */
import type { Command } from 'commander'
import {
  deploymentCommand,
  onDeployment,
  type ControlFlags,
  type OneDeployment,
} from './control.ts'
import { print } from '../print/printable.ts'

interface RmFlags extends ControlFlags {
  force?: boolean
  keys?: boolean
}

export function rmCommand(): Command {
  return deploymentCommand(
    'rm',
    'remove a deployment with its logs; its derived keys come again with it',
  )
    .option('--force', 'end it first; also for one whose files are damaged')
    .option('--keys', 'forget its imported keys, too; they can not be derived again')
    .action(onDeployment(rm))
}

async function rm({ client, params }: OneDeployment, { force, keys }: RmFlags): Promise<void> {
  const query = { force: force ? '1' : '0', keys: keys ? '1' : '0' } as const
  await client.call('DELETE /v1/deployments/:id', { params, query })
  print(`✓ deployment ${params.id}: removed`)
}
