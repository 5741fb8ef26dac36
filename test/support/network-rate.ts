/**
 * Measures how fast connections arrived.
 * @module
 */
import type { Arrival } from './network-server.ts'

const tcp = 6

/** The settings of a limiter. */
export interface Rate {
  perSecond: number
  burst: number
}

/** Connections, each as its first packet. */
export function connectionsOf(arrivals: readonly Arrival[]): Arrival[] {
  const seen = new Set<string>()
  return arrivals.filter(({ protocol, from, source, to, port }) => {
    const flow = [protocol, from, source, to, port].join()
    return !seen.has(flow) && seen.add(flow)
  })
}

/** Connections per second after the burst. */
export function rateAfterBurst(arrivals: readonly Arrival[], { burst }: Rate): number {
  const late = connectionsOf(arrivals).slice(burst)
  if (late.length < 2) throw new Error(`${late.length} connections after the burst`)
  return (late.length - 1) / (late.at(-1)!.at - late[0]!.at)
}

/**
 * How many more connections were tried than a token bucket lets through, in any interval. A SYN
 * counts as often as it is sent.
 * @returns at most 0 if the limit was kept
 */
export function excess(arrivals: readonly Arrival[], rate: Rate): number {
  const first = new Set(connectionsOf(arrivals))
  return excessOfPackets(
    arrivals.filter((packet) => packet.protocol === tcp || first.has(packet)),
    rate,
  )
}

/** The excess of packets over a token bucket. */
export function excessOfPackets(packets: readonly Arrival[], { perSecond, burst }: Rate): number {
  let most = -Infinity
  let best = -Infinity
  const sorted = [...packets].sort((one, other) => one.at - other.at)
  for (const [index, { at }] of sorted.entries()) {
    best = Math.max(best, at * perSecond - index)
    most = Math.max(most, index + 1 + best - at * perSecond)
  }
  return most - burst
}
