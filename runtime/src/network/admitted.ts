/**
 * Admits the addresses of hosts in the kernel, and remembers which ones and until when. How long is
 * decided in verify/verify-host.
 * @module
 */
import { createQueues } from '@causeway/service/turns'
import type { KernelNetwork } from '../job-network/contract.ts'
import { tooManyAdmitted } from './refusal.ts'
import type { Verification } from './verify/verification.ts'

/** A host that is whitelisted. */
export interface AdmittedHost {
  host: string
  /** Time for which each address stays admitted unless it is verified again, s. */
  addresses: readonly { address: string; seconds: number }[]
}

export interface Admitted {
  /**
   * Admits the addresses that passed. Earlier addresses stay until they expire, because names in
   * rotation have other addresses each time; an address that failed now is revoked.
   * @throws RpcError LIMIT_EXCEEDED
   */
  readonly add: (verification: Verification) => Promise<void>
  /** Removes a host, and revokes its addresses that no other host has. */
  readonly drop: (host: string) => Promise<void>
  readonly list: () => AdmittedHost[]
  /** Resolves when no change is pending. */
  readonly settled: () => Promise<void>
}

const maxHosts = 64
const maxAddresses = 256
// A verification at the last moment must not leave a gap.
const graceSeconds = 5

/** Address → when it expires, ms of `performance.now()`. */
type Addresses = ReadonlyMap<string, number>

/** @param signal once aborted, no change reaches the kernel, and calls reject with its reason */
export function createAdmitted(
  network: Pick<KernelNetwork, 'admit' | 'revoke'>,
  signal: AbortSignal,
): Admitted {
  const hosts = new Map<string, Addresses>()
  const queues = createQueues()
  /** One after the other: each change depends on the state that the last one left. */
  const inTurn = (work: () => Promise<void>) =>
    queues.run('changes', async () => {
      // The network may already be the next execution's, which has not asked for these addresses.
      signal.throwIfAborted()
      await work()
    })

  async function add({ host, steps, passed }: Verification): Promise<void> {
    forgetExpired(hosts)
    const until = performance.now() + Math.min(...passed.map(({ seconds }) => seconds)) * 1000
    const failed = failedAddresses(steps)
    const kept = [...(hosts.get(host) ?? [])].filter(([address]) => !failed.has(address))
    const addresses = new Map([...kept, ...passed.map(({ address }) => [address, until] as const)])
    const others = new Map([...hosts].filter(([name]) => name !== host))
    checkLimits(host, addresses, others)
    await network.admit(
      passed.map(({ address }) => ({
        address,
        seconds: secondsTo(Math.max(until, heldUntil(address, others))) + graceSeconds,
      })),
    )
    const gone = withoutHolder(
      [...(hosts.get(host) ?? [])],
      new Map([...others, [host, addresses]]),
    )
    hosts.set(host, addresses)
    if (gone.length > 0) await network.revoke(gone)
  }

  async function drop(host: string): Promise<void> {
    const addresses = hosts.get(host)
    if (!addresses) return
    hosts.delete(host)
    const gone = withoutHolder([...addresses], hosts)
    if (gone.length > 0) await network.revoke(gone)
  }

  return {
    add: (verification) => inTurn(() => add(verification)),
    drop: (host) => inTurn(() => drop(host)),
    list() {
      forgetExpired(hosts)
      return [...hosts].map(([host, addresses]) => ({ host, addresses: described(addresses) }))
    },
    settled: () => queues.settled(),
  }
}

function forgetExpired(hosts: Map<string, Addresses>): void {
  const now = performance.now()
  for (const [host, addresses] of hosts) {
    const left = [...addresses].filter(([, until]) => until > now)
    if (left.length === 0) hosts.delete(host)
    else if (left.length < addresses.size) hosts.set(host, new Map(left))
  }
}

/** Addresses whose owner no longer consents; a resolver that did not answer proves nothing. */
function failedAddresses(steps: Verification['steps']): Set<string> {
  const failed = steps.filter(({ failure }) => failure && failure.kind !== 'RESOLVER_FAILED')
  return new Set(failed.flatMap(({ address }) => address ?? []))
}

function checkLimits(
  host: string,
  addresses: Addresses,
  others: ReadonlyMap<string, Addresses>,
): void {
  if (others.size >= maxHosts) throw tooManyAdmitted('hosts', maxHosts)
  const all = new Set([addresses, ...others.values()].flatMap((one) => [...one.keys()]))
  if (all.size > maxAddresses) throw tooManyAdmitted(`addresses with ${host}`, maxAddresses)
}

function heldUntil(address: string, hosts: ReadonlyMap<string, Addresses>): number {
  return Math.max(0, ...[...hosts.values()].map((addresses) => addresses.get(address) ?? 0))
}

function withoutHolder(
  addresses: readonly (readonly [string, number])[],
  hosts: ReadonlyMap<string, Addresses>,
): string[] {
  return addresses.map(([address]) => address).filter((one) => heldUntil(one, hosts) === 0)
}

function described(addresses: Addresses): AdmittedHost['addresses'] {
  return [...addresses].map(([address, until]) => ({ address, seconds: secondsTo(until) }))
}

function secondsTo(until: number): number {
  return Math.ceil((until - performance.now()) / 1000)
}
