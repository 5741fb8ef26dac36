/**
 * How fast jobs may reach addresses that are not admitted, and which refused addresses the operator
 * opens.
 * @module
 */
import * as v from 'valibot'
import { choice, count, maxCount } from '@causeway/service/config'
import { parseResolver } from '@causeway/service/dns'
import { parseNet } from '@causeway/service/egress'

/** The kernel's queues count time in 32 bits of 64 ns. */
export const longestBurstSeconds = 200

/** The kernel's queues forget debt beyond a minute, and a packet (64 KiB) must be paid in full. */
export const leastBytesPerSecond = 2000

/** The kernel's queues and packet rules count a burst of bytes in 32 bits. */
export const mostBytes = 2 ** 32 - 1

/** The largest part of the byte burst that the kernel can count at this rate. */
export function possibleByteBurst({ bytesPerSecond, byteBurst }: NetworkSettings): number {
  return Math.min(byteBurst, longestBurstSeconds * Math.max(bytesPerSecond, leastBytesPerSecond))
}

/** Time until an unused network's limits are full again, as those of a new one are. */
export function refillMs(settings: NetworkSettings): number {
  const { connectionBurst, connectionsPerSecond, dnsBurst, dnsPerSecond, bytesPerSecond } = settings
  const seconds = [
    connectionBurst / connectionsPerSecond,
    dnsBurst / dnsPerSecond,
    bytesPerSecond === 0 ? 0 : possibleByteBurst(settings) / bytesPerSecond,
  ]
  return Math.ceil(1000 * Math.max(...seconds)) + 1000
}

/** The section `network` of the configuration file. */
export const networkSettings = v.pipe(
  v.strictObject({
    /** `auto`: isolated where this host can, else shared, else nothing is enforced. */
    mode: choice(['auto', 'isolated', 'shared'], 'auto'),
    /** `required`: runs no jobs where any of this cannot be enforced. */
    enforce: choice(['auto', 'required'], 'auto'),
    /** New connections to addresses that are not admitted. */
    connectionsPerSecond: count(1, 100_000, 10),
    /** Connections allowed at once, before that rate applies. */
    connectionBurst: count(1, maxCount, 20),
    /** Bytes to, and as many from, addresses that are not admitted; 0: no limit. */
    bytesPerSecond: v.pipe(
      count(0, mostBytes, 12_500_000),
      v.check(
        (rate) => rate === 0 || rate >= leastBytesPerSecond,
        `expected 0 or at least ${leastBytesPerSecond}`,
      ),
    ),
    byteBurst: count(64 * 1024, mostBytes, 25_000_000),
    /** Packets to UDP port 53, which have a budget of their own so that names resolve. */
    dnsPerSecond: count(1, 100_000, 50),
    dnsBurst: count(1, maxCount, 100),
    /** Non-public networks that jobs may reach anyway: ADDRESS or ADDRESS/PREFIX. */
    allow: v.optional(v.array(text(parseNet)), []),
    /** DNS servers that `network_whitelist` asks; none: those of this host. */
    resolvers: v.optional(
      v.pipe(v.array(text(parseResolver)), v.maxLength(3, 'expected at most 3')),
      [],
    ),
  }),
  v.forward(
    v.partialCheck(
      [['connectionBurst'], ['connectionsPerSecond']],
      ({ connectionBurst, connectionsPerSecond }) =>
        connectionBurst <= longestBurstSeconds * connectionsPerSecond,
      `expected at most ${longestBurstSeconds} times connectionsPerSecond`,
    ),
    ['connectionBurst'],
  ),
  v.forward(
    v.partialCheck(
      [['dnsBurst'], ['dnsPerSecond']],
      ({ dnsBurst, dnsPerSecond }) => dnsBurst <= longestBurstSeconds * dnsPerSecond,
      `expected at most ${longestBurstSeconds} times dnsPerSecond`,
    ),
    ['dnsBurst'],
  ),
  v.forward(
    v.partialCheck(
      [['byteBurst'], ['bytesPerSecond']],
      ({ byteBurst, bytesPerSecond }) => byteBurst >= bytesPerSecond,
      'expected at least bytesPerSecond',
    ),
    ['byteBurst'],
  ),
)

export type NetworkConfig = v.InferOutput<typeof networkSettings>
/** Limits that apply to each deployment on this host. */
export type NetworkSettings = Omit<NetworkConfig, 'mode' | 'enforce' | 'resolvers'>

/** Equal for settings that make equal networks. */
export function limitsText(settings: NetworkSettings): string {
  const { connectionsPerSecond, connectionBurst, bytesPerSecond, byteBurst } = settings
  const { dnsPerSecond, dnsBurst, allow } = settings
  const rates = { connectionsPerSecond, connectionBurst, bytesPerSecond, byteBurst }
  return JSON.stringify({ ...rates, dnsPerSecond, dnsBurst, allow })
}

/** A string that the parser accepts, kept as it was written. */
function text(parse: (value: string) => unknown) {
  return v.pipe(
    v.string(),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      try {
        parse(dataset.value)
      } catch (error) {
        addIssue({ message: (error as Error).message })
      }
    }),
  )
}
