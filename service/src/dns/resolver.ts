/** The recursive resolvers to ask: parses their addresses, and reads the host's. @module */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isUnspecifiedAddress } from '../egress/special-purpose.ts'
import { ifThere } from '../failure/index.ts'

export interface Resolver {
  /** IPv4, or IPv6 with its zone where it needs one. */
  address: string
  port: number
}

const dnsPort = 53
/** The file in which the C library looks. */
export const hostResolverFile = '/etc/resolv.conf'
// The C library's MAXNS.
const mostResolvers = 3

/** Parses `IP`, `IP:PORT` or `[IPv6]:PORT`. @throws TypeError saying what was expected */
export function parseResolver(text: string): Resolver {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text)
  const plain = isIP(text) === 6 ? [text, text] : /^([^:]+)(?::(\d{1,5}))?$/.exec(text)
  const [, address = '', port = String(dnsPort)] = bracketed ?? plain ?? []
  const family = isIP(address)
  const isRight = family !== 0 && (family === 6 || !bracketed)
  if (!isRight || Number(port) < 1 || Number(port) > 65535) {
    throw new TypeError(
      `expected IP, IP:PORT or [IPv6]:PORT, found ${JSON.stringify(text.slice(0, 80))}`,
    )
  }
  return { address, port: Number(port) }
}

/** The resolvers of the host's C library; the host itself where it names none (resolv.conf(5)). */
export function hostResolvers(file = hostResolverFile): Resolver[] {
  const found = (ifThere(() => readFileSync(file, 'utf8')) ?? '')
    .split('\n')
    .map((line) => /^nameserver[ \t]+(\S+)/.exec(line)?.[1] ?? '')
    .filter((address) => isIP(address) !== 0 && !isUnspecifiedAddress(address))
    .slice(0, mostResolvers)
  return (found.length > 0 ? found : ['127.0.0.1']).map(parseResolver)
}
