/**
 * The whitelisted hosts of one deployment: verifies them, admits their addresses in the kernel, and
 * verifies them again before their DNS records expire.
 * @module
 */
import type { Logger } from '@causeway/service/log'
import { createTurnstile, singleFlight } from '@causeway/service/turns'
import { RpcError } from '../bridge/errors.ts'
import { parseHostName } from './verify/host-name.ts'
import { createAdmitted, type AdmittedHost } from './admitted.ts'
import type { KernelNetwork } from '../job-network/contract.ts'
import { checkSource, refusalOf, tooManyAtOnce } from './refusal.ts'
import { createRefusals } from './remembered-refusals.ts'
import { createRenewals } from './renewals.ts'
import type { Verification, VerifyHost } from './verify/verification.ts'

export interface AdmissionsOptions {
  verifyHost: VerifyHost
  network: Pick<KernelNetwork, 'admit' | 'revoke'>
  /** The deployment owner's account. */
  source: Uint8Array
  log: Logger
}

export interface Admissions {
  /**
   * Verifies a host and admits the addresses that pass; resolves when connections to them no longer
   * wait. Concurrent calls for the same host share one verification.
   * @throws RpcError with the reason why the host does not pass
   */
  readonly whitelist: (host: string) => Promise<void>
  readonly list: () => AdmittedHost[]
  /**
   * Ends all verifications; addresses stay admitted until the network ends. Resolves when no change
   * can reach the kernel any more.
   */
  readonly close: () => Promise<void>
}

// A verification may make a hundred queries and take five seconds; callers get an answer after ten.
// More than ten at once would need setMaxListeners, because each listens to the signal.
const atOnce = { most: 4, patienceMs: 5_000, tooLate: () => tooManyAtOnce(4) }

export function createAdmissions(options: AdmissionsOptions): Admissions {
  const { verifyHost, network, source, log } = options
  const closing = new AbortController()
  const { signal } = closing
  const admitted = createAdmitted(network, signal)
  const refusals = createRefusals()
  const inLine = createTurnstile(atOnce)
  const verifyOnce = singleFlight(verify)
  const renewals = createRenewals({ again: verifyOnce, drop: admitted.drop, log })

  async function verify(host: string): Promise<void> {
    const verification = await inLine(() => ask(host))
    if (verification.failure) {
      throw refusals.note({ text: host, name: verification.host }, refusalOf(verification))
    }
    await admitted.add(verification)
    renewals.keep(host, verification)
  }

  async function ask(host: string): Promise<Verification> {
    signal.throwIfAborted()
    return verifyHost(host, source, signal)
  }

  return {
    async whitelist(host) {
      signal.throwIfAborted()
      const { name } = parseHostName(host)
      checkSource(source)
      refusals.check({ text: host, name })
      await verifyOnce(host)
    },
    list: admitted.list,
    close() {
      closing.abort(new RpcError('UNAVAILABLE', 'the bridge stopped before the call was answered'))
      renewals.close()
      return admitted.settled()
    },
  }
}
