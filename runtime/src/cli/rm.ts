/**
 * `causeway rm`: removes a deployment from the daemon.
 * @module
 */
import { Command } from 'commander'
import {
  deploymentPath,
  referenceText,
  withControlOptions,
  withDaemon,
  type ControlFlags,
} from './control.ts'
import { printable } from './printable.ts'

interface RmFlags extends ControlFlags {
  force?: boolean
  keys?: boolean
}

export function rmCommand(): Command {
  const command = new Command('rm')
    .description('remove a deployment with its logs; its derived keys come again with it')
    .argument('<id>', referenceText)
    .option('--force', 'end it first; also for one whose files are damaged')
    .option('--keys', 'forget its imported keys, too; they can not be derived again')
  return withControlOptions(command).action(rm)
}

async function rm(reference: string, flags: RmFlags): Promise<void> {
  await withDaemon(flags, async (client) => {
    const query = `?force=${flags.force ? 1 : 0}&keys=${flags.keys ? 1 : 0}`
    await client.call('DELETE', deploymentPath(reference, query))
    process.stdout.write(printable(`✓ deployment ${reference}: removed\n`))
  })
}
