/**
 * The veth pair between a job's network namespace and the host, with addresses of its own.
 *
 * An index is taken as long as an interface with its name exists: the kernel allows each name once,
 * across all daemons, and removes the interface with the namespace.
 * @module
 */
import { randomInt } from 'node:crypto'

import type { Family } from '@causeway/service/egress'
import { readOrEmpty } from '@causeway/service/failure'
import { runProgram } from '../program.ts'

/** Prefix of every interface of ours on the host. */
export const hostPrefix = 'cwy-'
/** Name of the interface in the job's namespace. */
export const jobInterface = 'eth0'

// The end of RFC 6598's shared space, which carriers and overlays use last, and a ULA (RFC 4193) of
// our own. The job has the second address of each pair.
const pool4 = '100.127.0.0/16'
const pool6 = 'fdca:05e3:a7c1::/48'
/** The networks of all jobs, for the host's rules. */
export const jobNets = { ipv4: pool4, ipv6: pool6 } as const

const maxIndex = 0x7fff
const tries = 16

/**
 * Makes the pair and brings it up; the kernel removes it with the namespace.
 * @param namespace descriptor
 * @param families address families of the pair
 * @returns the name of the host's end
 * @throws Error
 */
export async function connectToHost(
  namespace: number,
  families: readonly Family[],
): Promise<string> {
  const index = await createPair(namespace)
  const { name, host, job } = ends(index, families)
  const routes = host.map((address) => `route add default via ${address.split('/')[0]}`)
  await ip({ input: lines(raise(name, host)) })
  await ip({ inside: namespace, input: lines([...raise(jobInterface, job), ...routes]) })
  return name
}

/** Removes the pair at once; the kernel does so some time after the end of the namespace. */
export async function disconnect(name: string): Promise<void> {
  await ip({ input: `link del ${name}\n` })
}

/** Whether the host has an interface of that name. */
export function isThere(name: string): boolean {
  const rows = readOrEmpty('/proc/self/net/dev').split('\n')
  return rows.some((row) => row.trimStart().startsWith(`${name}:`))
}

// No generated addresses: duplicate address detection would look for them for seconds.
function raise(name: string, addresses: readonly string[]): string[] {
  return [
    `link set ${name} addrgenmode none`,
    ...addresses.map((address) => `addr add ${address} dev ${name} nodad`),
    `link set ${name} up`,
  ]
}

async function createPair(namespace: number): Promise<number> {
  for (let left = tries; ; left--) {
    const index = randomInt(maxIndex + 1)
    const peer = `peer name ${jobInterface} netns /proc/self/fd/3`
    try {
      await ip({ given: namespace, input: `link add ${nameOf(index)} type veth ${peer}\n` })
      return index
    } catch (error) {
      if (left === 0 || !/File exists/.test((error as Error).message)) throw error
    }
  }
}

const nameOf = (index: number) => hostPrefix + index.toString(16).padStart(4, '0')

function ends(index: number, families: readonly Family[]) {
  const first = 2 * index
  const address = {
    ipv4: (last: number) => `100.127.${first >> 8}.${(first & 0xff) + last}/31`,
    ipv6: (last: number) => `fdca:05e3:a7c1::${index.toString(16)}:${last}/127`,
  }
  const end = (last: number) => families.map((family) => address[family](last))
  return { name: nameOf(index), host: end(0), job: end(1) }
}

/** Whether this host has an IPv6 default route, according to /proc/net/ipv6_route. */
export function hasIpv6(): boolean {
  const rows = readOrEmpty('/proc/net/ipv6_route').trim().split('\n')
  return rows.some((row) => {
    const [target, prefix, ...rest] = row.trim().split(/\s+/)
    // Without a usable default route, the kernel lists one by the loopback.
    return /^0+$/.test(target ?? '') && prefix === '00' && rest.at(-1) !== 'lo'
  })
}

function ip(options: { inside?: number; given?: number; input: string }): Promise<string> {
  return runProgram('ip', ['-batch', '-'], options)
}

const lines = (commands: readonly string[]) => commands.map((command) => `${command}\n`).join('')
