/**
 * How fast jobs may reach addresses that are not admitted, and which of the refused ones they may.
 * @module
 */

/** Of every deployment on this host. */
export interface NetworkSettings {
  /** New connections to addresses that are not admitted. */
  connectionsPerSecond: number
  /** How many at once, before that rate holds. */
  connectionBurst: number
  /** To and from addresses that are not admitted; 0: no limit. */
  bytesPerSecond: number
  byteBurst: number
  /** Packets to UDP port 53, which have a budget of their own so that names resolve. */
  dnsPerSecond: number
  dnsBurst: number
  /** Networks (CIDR, either family) that the egress policy refuses otherwise. */
  allow: readonly string[]
}

/** The kernel's queues count time in 32 bits of 64 ns. */
export const longestBurstSeconds = 200

/** They forget what a packet (64 KiB) owes beyond a minute. */
export const leastBytesPerSecond = 2000

/** The kernel's queues and packet rules count bytes at once in 32 bits. */
export const mostBytes = 2 ** 32 - 1

/** Bytes at once that the kernel can count at their rate. */
export function possibleByteBurst({ bytesPerSecond, byteBurst }: NetworkSettings): number {
  return Math.min(byteBurst, longestBurstSeconds * Math.max(bytesPerSecond, leastBytesPerSecond))
}

/** Until the limits of one that nobody uses are full again: a new one would be worth the same. */
export function refillMs(settings: NetworkSettings): number {
  const { connectionBurst, connectionsPerSecond, dnsBurst, dnsPerSecond, bytesPerSecond } = settings
  const seconds = [
    connectionBurst / connectionsPerSecond,
    dnsBurst / dnsPerSecond,
    bytesPerSecond === 0 ? 0 : possibleByteBurst(settings) / bytesPerSecond,
  ]
  return Math.ceil(1000 * Math.max(...seconds)) + 1000
}
