/**
 * Verifies hosts with the resolvers of the configuration or of this host, never with a job's.
 * @module
 */
import { statSync } from 'node:fs'
import { hostResolverFile, hostResolvers, parseResolver } from '@causeway/service/dns'
import { createEgressPolicy } from '@causeway/service/egress'
import type { VerifyHost } from './verification.ts'
import { createVerifier } from './verify-host.ts'

export interface VerifierSettings {
  /** Addresses as in the configuration; none: this host's resolvers at the time of a call. */
  resolvers: readonly string[]
  /** Non-public networks that may be admitted anyway. */
  allow: readonly string[]
  /** Continues after a failed claim, to show everything that is missing. */
  isExhaustive?: boolean
  /** File in which this host names its resolvers. */
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

/** Makes a new verifier after the file changes: a daemon may start before the host's network. */
function madeOf(file: string, make: () => VerifyHost): VerifyHost {
  let made: { verify: VerifyHost; stamp: string } | undefined
  return async (...asked) => {
    // Taken before the file is read: the next call sees a change that happens in between.
    const stamp = stampOf(file)
    if (made?.stamp !== stamp) made = { verify: make(), stamp }
    return made.verify(...asked)
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}` : 'not there'
}
