/** Connections that a service opens for others, only to addresses that a policy allows. @module */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

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
   *   resolver; the signal's reason, at once
   */
  readonly dial: (target: DialTarget, signal?: AbortSignal) => Promise<Socket>
}

export interface EgressOptions {
  allows: (address: string) => boolean
  /** Asks for one new connection: how many ms to wait before it; negative: too many wait. */
  take?: (address: string) => number
  /** Ends every dial once it is aborted. */
  over?: AbortSignal
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

// An address that does not answer must not keep the host's other addresses waiting.
const longestTryMs = 5_000

export function createEgress({ allows, take = () => 0, over }: EgressOptions): Egress {
  return {
    allows,
    async dial({ host, port }, outer) {
      const { signal, end } = linked([over, outer])
      try {
        const addresses = await unlessAborted(addressesOf(host), signal)
        const allowed = addresses.filter(allows)
        let failure: unknown = new EgressRefusedError(host, addresses[0] ?? 'no address')
        for (const [index, address] of allowed.entries()) {
          try {
            const waitMs = take(address)
            if (waitMs < 0) throw new Error(`${host}: too many connections wait for their turn`)
            if (waitMs > 0) await unlessAborted(pause(waitMs, undefined, { signal }), signal)
            const isLast = index === allowed.length - 1
            return await connected({ host: address, port }, isLast ? 0 : longestTryMs, signal)
          } catch (error) {
            signal.throwIfAborted()
            failure = error
          }
        }
        throw failure
      } finally {
        end()
      }
    },
  }
}

/** A signal of one's own: Node 20 keeps what listens to a long-lived one. */
function linked(outer: readonly (AbortSignal | undefined)[]) {
  const own = new AbortController()
  const ended = new AbortController()
  for (const signal of outer) {
    const abort = () => own.abort(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { signal: ended.signal })
  }
  return { signal: own.signal, end: () => ended.abort() }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail)
  })
  // The work may fail later, when nobody waits for it.
  work.catch(() => {})
  return Promise.race([work, aborted])
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** @param longestMs 0: as long as the kernel tries */
async function connected(
  target: DialTarget,
  longestMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect(target).setTimeout(longestMs)
  socket.once('timeout', () => {
    socket.destroy(new Error(`${target.host}: no answer within ${longestMs} ms`))
  })
  try {
    await once(socket, 'connect', { signal })
    return socket.setTimeout(0)
  } catch (error) {
    socket.destroy()
    throw error
  }
}
