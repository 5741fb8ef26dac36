/**
 * Parses the command line.
 * @module
 */
import { parseArgs } from 'node:util'
import { nameProblem } from './address.ts'
import type { Check, Profile } from './check.ts'
import { allChecks } from './checks/all-checks.ts'
import { defaultTimeoutMs } from './conformance.ts'

export const usage = `usage: npm run conformance -- --socket NAME [options]

Checks the bridge that listens on an abstract Unix socket, with nothing but bytes.

  --socket NAME      the socket's name, without its leading NUL; default $BRIDGE_SOCKET
  --only PATTERN     run the checks with this id, * for any characters; may be repeated
  --profile PROFILE  spec: leave out what only Causeway decides; causeway (default): everything
  --timeout MS       longest wait for one reply, 1 to 600000; default ${defaultTimeoutMs}
  --json FILE        write the report to a file, too
  --list             print the checks and run none
  --help             print this

Exit code: 0 nothing failed, 1 something failed, 2 wrong usage or the socket cannot be reached.
`

/** Wrong usage; the message says what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface Arguments {
  /** Empty for `list` and `help`. */
  socket: string
  checks: readonly Check[]
  timeoutMs: number
  json?: string
  action: 'run' | 'list' | 'help'
}

const maxTimeoutMs = 600_000

/** @throws UsageError */
export function parseArguments(args: readonly string[], environment: NodeJS.ProcessEnv): Arguments {
  const values = parse(args)
  const action = values.help ? 'help' : values.list ? 'list' : 'run'
  const socket = values.socket ?? environment['BRIDGE_SOCKET'] ?? ''
  if (action === 'run') checkName(socket)
  return {
    socket,
    checks: selectChecks(parseProfile(values.profile), values.only ?? []),
    timeoutMs: parseTimeout(values.timeout),
    ...(values.json !== undefined && { json: values.json }),
    action,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        socket: { type: 'string' },
        only: { type: 'string', multiple: true },
        profile: { type: 'string' },
        timeout: { type: 'string' },
        json: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}

function checkName(socket: string): void {
  if (socket === '') throw new UsageError('--socket: expected a name; $BRIDGE_SOCKET is not set')
  const problem = nameProblem(socket)
  if (problem) throw new UsageError(`--socket ${JSON.stringify(socket)}: ${problem}`)
}

function parseProfile(profile = 'causeway'): Profile {
  if (profile === 'spec' || profile === 'causeway') return profile
  throw new UsageError(`--profile: expected spec or causeway, found ${JSON.stringify(profile)}`)
}

function parseTimeout(text = String(defaultTimeoutMs)): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= maxTimeoutMs) return value
  const found = JSON.stringify(text)
  throw new UsageError(`--timeout: expected 1 to ${maxTimeoutMs} milliseconds, found ${found}`)
}

function selectChecks(profile: Profile, patterns: readonly string[]): readonly Check[] {
  const ofProfile = allChecks.filter(
    (check) => profile === 'causeway' || check.profile !== 'causeway',
  )
  if (patterns.length === 0) return ofProfile
  const unmatched = patterns.find((pattern) => !ofProfile.some(({ id }) => matches(pattern, id)))
  if (unmatched !== undefined) {
    throw new UsageError(`--only ${JSON.stringify(unmatched)}: no check has such an id; see --list`)
  }
  return ofProfile.filter(({ id }) => patterns.some((pattern) => matches(pattern, id)))
}

function matches(pattern: string, id: string): boolean {
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${source}$`).test(id)
}
