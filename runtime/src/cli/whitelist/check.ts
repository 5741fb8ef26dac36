/**
 * `causeway whitelist check`: whether a host consents to be reached by an owner's deployments, and
 * what is still to be published.
 * @module
 */
import { Command, InvalidArgumentError } from 'commander'
import { RpcError } from '../../bridge/errors.ts'
import { loadConfig } from '../../config/config.ts'
import { configuredVerifier } from '../../network/verify/configured-verifier.ts'
import { parseResolver } from '@causeway/service/dns'
import { sourceAccount } from '../../network/verify/source-account.ts'
import type { Verification } from '../../network/verify/verification.ts'
import { exitCodes } from '../exit-codes.ts'
import { fail } from '../failure.ts'
import { print } from '../print/printable.ts'
import { verificationText } from '../print/verification-text.ts'

interface CheckFlags {
  source: Uint8Array
  json?: boolean
  resolver?: string[]
  config?: string
}

export function whitelistCheckCommand(): Command {
  return new Command('check')
    .description('ask DNS as network_whitelist does, and say what is still to be published')
    .argument('<host>', 'bare hostname, as a job would name it')
    .requiredOption(
      '--source <account>',
      'account of the deployments’ owner: 64 hex digits or an SS58 address',
      parsedBy(sourceAccount),
    )
    .option('--json', 'print one JSON document')
    .option(
      '--resolver <address>',
      'DNS server to ask, IP or IP:PORT; may be repeated (default: those of the configuration, else of this host)',
      addResolver,
    )
    .option('--config <file>', 'configuration file (TOML)')
    .addHelpText(
      'after',
      `\nExit code: 0 when an address passes, ${exitCodes.invalid} when none does.`,
    )
    .action(check)
}

async function check(host: string, flags: CheckFlags): Promise<void> {
  try {
    const { network } = loadConfig(flags.config)
    const { allow, resolvers } = network
    const settings = { allow, resolvers: flags.resolver ?? resolvers, isExhaustive: true }
    tell(await configuredVerifier(settings)(host, flags.source), flags)
  } catch (error) {
    if (error instanceof RpcError) fail(new Error(textOf(error)), exitCodes.usage)
    else fail(error)
  }
}

function tell(verification: Verification, { json }: CheckFlags): void {
  print(json ? JSON.stringify(verification) : verificationText(verification))
  if (verification.failure) process.exitCode = exitCodes.invalid
}

function textOf({ kind, message, options: { hint } }: RpcError): string {
  return `${kind}: ${message}${hint === undefined ? '' : ` (${hint})`}`
}

function addResolver(text: string, before: string[] = []): string[] {
  parsedBy(parseResolver)(text)
  return [...before, text]
}

/** What a parser says of a wrong argument is told as such. */
function parsedBy<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  }
}
