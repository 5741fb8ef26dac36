/**
 * Verification of hosts with this host's own resolvers, never those of a job.
 * @module
 */
import { statSync } from 'node:fs'
import { hostResolverFile, hostResolvers, parseResolver } from '@causeway/service/dns'
import { createEgressPolicy } from '@causeway/service/egress'
import type { VerifyHost } from './verification.ts'
import { createVerifier } from './verify-host.ts'

export interface VerifierSettings {
  /** As the configuration writes them; none: those of this host, as they are at the time. */
  resolvers: readonly string[]
  /** Networks that are not public and may be admitted all the same. */
  allow: readonly string[]
  /** Asks on after what decides already, to show everything that is missing. */
  isExhaustive?: boolean
  /** Where this host names its resolvers. */
  hostFile?: string
}

/** @throws TypeError naming what is wrong with a resolver or a network */
export function configuredVerifier({
  resolvers,
  allow,
  isExhaustive = false,
  hostFile = hostResolverFile,
}: VerifierSettings): VerifyHost {
  const policy = createEgressPolicy(allow)
  const allows = (address: string) => policy.allows(address)
  if (resolvers.length > 0) {
    return createVerifier({ resolvers: resolvers.map(parseResolver), allows, isExhaustive })
  }
  return madeOf(hostFile, () =>
    createVerifier({ resolvers: hostResolvers(hostFile), allows, isExhaustive }),
  )
}

/** Anew whenever the file is another one: a daemon may start before the host has its network. */
function madeOf(file: string, make: () => VerifyHost): VerifyHost {
  let made: { verify: VerifyHost; stamp: string } | undefined
  return async (...asked) => {
    // Before it is read: what changes meanwhile shows with the next.
    const stamp = stampOf(file)
    if (made?.stamp !== stamp) made = { verify: make(), stamp }
    return made.verify(...asked)
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}` : 'not there'
}
