/**
 * What a deployment's connections to the internet are held to, whether JavaScript or another native
 * addon opens them.
 *
 * @module
 */
import { addon } from '../addon.ts'
import { checkAddress, checkInteger } from '../arguments.ts'
import type { NativeHandle } from './native-handle.ts'

export interface EgressOptions {
  /** Networks that may not be reached, of either family, as ADDRESS or ADDRESS/PREFIX. */
  refused: readonly string[]
  /** What of them may be, nevertheless. */
  opened: readonly string[]
  /** The lasting rate of new connections, 1 to 1,000,000. */
  connectionsPerSecond: number
  /** How many at once before that rate holds, 1 to 1,000,000. */
  burst: number
  /** For tests: ms, instead of the CLOCK_MONOTONIC that other addons go by. */
  now?: () => number
}

/** New connections so far: to admitted addresses; to others, that had to wait; refused ones. */
export interface EgressCounters {
  admitted: number
  limited: number
  refused: number
}

/**
 * An IPv4-mapped address is judged as the IPv4 inside. What is no address, or has a zone, is refused.
 */
export interface NativeEgress {
  /** The same egress, for another addon. */
  readonly handle: NativeHandle<'egress'>
  /** Whether an address may be reached at all. */
  allows(address: string): boolean
  /**
   * Asks for one new connection.
   *
   * @returns 0: open it now; -1: do not open it, the address is refused or would wait longer than a
   *   minute; else the ms to wait before. That place in the line is the caller's, used or not.
   */
  take(address: string): number
  /**
   * Connections to these take no part in the rate for `ms` (1 to 2^40) from now on, whatever was said
   * before. The policy holds for them, too.
   *
   * @throws TypeError or RangeError naming the argument; nothing is admitted then
   */
  admit(addresses: readonly { address: string; ms: number }[]): void
  /** Takes that back. @throws TypeError or RangeError */
  revoke(addresses: readonly string[]): void
  counters(): EgressCounters
}

const mostConnections = 1_000_000

/** @throws TypeError or RangeError naming the argument */
export function createEgress(options: EgressOptions): NativeEgress {
  const { refused, opened, connectionsPerSecond, burst, now = () => undefined } = options
  checkInteger(connectionsPerSecond, 'connectionsPerSecond', 1, mostConnections)
  checkInteger(burst, 'burst', 1, mostConnections)
  const { egress } = addon()
  const handle = egress.open(1000 / connectionsPerSecond, burst)
  for (const net of refused) addNet(handle, 'refused', net)
  for (const net of opened) addNet(handle, 'opened', net)
  return {
    handle,
    allows: (address) => egress.allows(handle, address),
    take: (address) => egress.take(handle, address, now()),
    admit(addresses) {
      for (const { address, ms } of addresses) {
        checkAddress(address)
        checkInteger(ms, 'ms', 1, 2 ** 40)
      }
      for (const { address, ms } of addresses) egress.admit(handle, address, ms, now())
    },
    revoke(addresses) {
      for (const address of addresses) checkAddress(address)
      for (const address of addresses) egress.admit(handle, address, 0, now())
    },
    counters() {
      const [admitted, limited, refused] = egress.counters(handle)
      return { admitted, limited, refused }
    },
  }
}

function addNet(handle: NativeHandle<'egress'>, list: 'refused' | 'opened', net: string): void {
  const [, address = '', prefix = -1] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(net) ?? []
  if (addon().egress.addNet(handle, list === 'opened', address, Number(prefix))) return
  throw new RangeError(`${list} must hold ADDRESS or ADDRESS/PREFIX, got ${JSON.stringify(net)}`)
}
