/**
 * `causeway whitelist check`: says whether a host consents to be reached by an owner's deployments,
 * and what its owner still has to publish.
 * @module
 */
import type { Command } from 'commander'
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
  source: string
  json?: boolean
  resolver?: string[]
  config?: string
}

export async function check(host: string, flags: CheckFlags, command: Command): Promise<void> {
  const source = parsed(command, '--source <account>', flags.source, sourceAccount)
  for (const text of flags.resolver ?? [])
    parsed(command, '--resolver <address>', text, parseResolver)
  try {
    const { network } = loadConfig(flags.config)
    const { allow, resolvers } = network
    const settings = { allow, resolvers: flags.resolver ?? resolvers, isExhaustive: true }
    tell(await configuredVerifier(settings)(host, source), flags)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    fail(new Error(textOf(error)), exitCodes.usage)
  }
}

function tell(verification: Verification, { json }: CheckFlags): void {
  print(json ? JSON.stringify(verification) : verificationText(verification))
  if (verification.failure) process.exitCode = exitCodes.invalid
}

function textOf({ kind, message, options: { hint } }: RpcError): string {
  return `${kind}: ${message}${hint === undefined ? '' : ` (${hint})`}`
}

/** Parses the value of an option; a wrong value ends the command as any wrong argument does. */
function parsed<T>(command: Command, option: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text)
  } catch (error) {
    const what = `option '${option}' argument '${text}' is invalid`
    return command.error(`error: ${what}. ${(error as Error).message}`)
  }
}
