/** `causeway whitelist`: which hosts jobs reach without waiting. @module */
import { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { deploymentCommand } from './deployments.ts'
import { group, loaded } from './options.ts'

export function whitelistCommand(): Command {
  return group(
    'whitelist',
    'look at what network_whitelist does: whether a host consents, and which hosts a job has',
    [checkCommand, listCommand],
  )
}

function checkCommand(): Command {
  return new Command('check')
    .description('ask DNS as network_whitelist does, and say what is still to be published')
    .argument('<host>', 'bare hostname, as a job would name it')
    .requiredOption(
      '--source <account>',
      'account of the deployments’ owner: 64 hex digits or an SS58 address',
    )
    .option('--json', 'print one JSON document')
    .option(
      '--resolver <address>',
      'DNS server to ask, IP or IP:PORT; may be repeated (default: those of the configuration, else of this host)',
      (text: string, before?: string[]) => [...(before ?? []), text],
    )
    .option('--config <file>', 'configuration file (TOML)')
    .addHelpText(
      'after',
      `\nExit code: 0 when an address passes, ${exitCodes.invalid} when none does.`,
    )
    .action(loaded(async () => (await import('../whitelist/check.ts')).check))
}

function listCommand(): Command {
  return deploymentCommand('list', 'show the network of a running deployment and its hosts')
    .option('--json', 'print one JSON document')
    .action(loaded(async () => (await import('../whitelist/list.ts')).list))
}
