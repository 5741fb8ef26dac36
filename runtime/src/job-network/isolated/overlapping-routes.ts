/**
 * Routes of the host to addresses that jobs have: who is there, jobs would hide.
 * @module
 */
import { runProgram } from '../program.ts'
import { hostPrefix, jobNets } from './veth.ts'

interface Route {
  dst: string
  dev?: string
}

/** For people. @throws Error */
export async function overlappingRoutes(): Promise<string[]> {
  const net = jobNets.ipv4
  // Those to a part of it, and those to more than it.
  const found = await Promise.all([routes('root', net), routes('match', net)])
  const foreign = found
    .flat()
    .filter(({ dst, dev }) => dst !== 'default' && !dev?.startsWith(hostPrefix))
  return [...new Set(foreign.map(({ dst }) => dst))].map(
    (dst) =>
      `this host has a route to ${dst}, and jobs have addresses of ${net}: who is there cannot be reached while a job has the address`,
  )
}

async function routes(how: 'root' | 'match', net: string): Promise<Route[]> {
  const text = await runProgram('ip', ['-4', '-json', 'route', 'show', how, net], {})
  return (JSON.parse(text === '' ? '[]' : text) as Route[]) ?? []
}
