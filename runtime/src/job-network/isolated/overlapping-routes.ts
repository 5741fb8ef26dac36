/**
 * Finds routes of the host that overlap the addresses of jobs, which would hide the hosts there.
 * @module
 */
import type { Shortfall } from '../../errors/shortfall.ts'
import { runProgram } from '../program.ts'
import { hostPrefix, isThere, jobNets } from './veth.ts'

interface Route {
  dst: string
  dev?: string
}

/** @throws Error */
export async function overlappingRoutes(): Promise<Shortfall[]> {
  const net = jobNets.ipv4
  // `root` finds routes to parts of the net, `match` routes to all of it and more (ip-route(8)).
  const found = await Promise.all([routes('root', net), routes('match', net)])
  const foreign = found.flat().filter(({ dst, dev }) => dst !== 'default' && !isOurs(dev))
  return [...new Set(foreign.map(({ dst }) => dst))].map((dst) => ({
    text: `this host has a route to ${dst}, and jobs have addresses of ${net}: a host there cannot be reached while a job has its address`,
    remedy: `take the route to ${dst} away, or set network.mode = "shared"`,
  }))
}

/** Whether a route is that of a job's network, of whatever daemon. */
function isOurs(dev: string | undefined): boolean {
  if (dev === undefined) return false
  // An interface that is removed while `ip` looks has no name any more: it shows its number.
  return dev.startsWith(hostPrefix) || (/^if\d+$/.test(dev) && !isThere(dev))
}

async function routes(how: 'root' | 'match', net: string): Promise<Route[]> {
  const text = await runProgram('ip', ['-4', '-json', 'route', 'show', how, net], {})
  return (JSON.parse(text === '' ? '[]' : text) as Route[]) ?? []
}
