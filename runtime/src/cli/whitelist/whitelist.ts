/**
 * `causeway whitelist`: which hosts jobs reach without waiting.
 * @module
 */
import { Command } from 'commander'
import { whitelistCheckCommand } from './check.ts'
import { whitelistListCommand } from './list.ts'

export function whitelistCommand(): Command {
  const whitelist = new Command('whitelist').description(
    'look at what network_whitelist does: whether a host consents, and which hosts a job has',
  )
  for (const create of [whitelistCheckCommand, whitelistListCommand])
    whitelist.addCommand(create().exitOverride())
  return whitelist
}
