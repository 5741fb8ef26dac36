/**
 * Connections that a service opens for others, only to addresses that a policy allows.
 * @module
 */
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { once } from 'node:events'

/** Where to connect to. */
export interface DialTarget {
  /** A name, or an address without brackets. */
  host: string
  port: number
}

export interface Egress {
  /** Whether an address may be reached at all. */
  readonly allows: (address: string) => boolean
  /**
   * Resolves the host once with this host's own resolver, and connects to the first of its allowed
   * addresses that answers. So the address that was checked is the one connected to.
   * @throws EgressRefusedError when no address is allowed; the error of the last attempt, or of the
   *   resolver; the signal's reason
   */
  readonly dial: (target: DialTarget, signal?: AbortSignal) => Promise<Socket>
}

export interface EgressOptions {
  allows: (address: string) => boolean
  /** Asks for one new connection: how many ms to wait before it; negative: refused. */
  take?: (address: string) => number
}

/** No address of a host may be reached. */
export class EgressRefusedError extends Error {
  override readonly name = 'EgressRefusedError'
  /** The first address of the host. */
  readonly address: string

  constructor(host: string, address: string) {
    super(`${host}${host === address ? '' : ` (${address})`}: not an address that may be reached`)
    this.address = address
  }
}

export function createEgress({ allows, take = () => 0 }: EgressOptions): Egress {
  return {
    allows,
    async dial({ host, port }, signal) {
      const addresses = await addressesOf(host)
      signal?.throwIfAborted()
      const allowed = addresses.filter(allows)
      let failure: unknown = new EgressRefusedError(host, addresses[0] ?? 'no address')
      for (const address of allowed) {
        const waitMs = take(address)
        if (waitMs < 0) continue
        try {
          if (waitMs > 0) await pause(waitMs, undefined, { ...(signal && { signal }) })
          return await connected(address, port, signal)
        } catch (error) {
          signal?.throwIfAborted()
          failure = error
        }
      }
      throw failure
    },
  }
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

async function connected(address: string, port: number, signal?: AbortSignal): Promise<Socket> {
  const socket = connect({ host: address, port })
  try {
    await once(socket, 'connect', { ...(signal && { signal }) })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
