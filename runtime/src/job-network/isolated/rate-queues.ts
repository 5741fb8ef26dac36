/**
 * Where what exceeds a rate waits its turn: queues (tc-htb(8)) at the job's end of its cable, one
 * for each limit. A connection that waits is late, not lost, and no packet of it is sent twice: TCP
 * does not repeat what is still in a queue of its own host.
 * @module
 */
import { runProgram } from '../program.ts'
import {
  leastBytesPerSecond,
  mostBytes,
  possibleByteBurst,
  type NetworkSettings,
} from '../settings.ts'
import { jobInterface } from './veth.ts'

/** One class of packets. */
interface Queue {
  /** Bytes per second, as `overhead` makes them count. */
  rate: number
  burst: number
  /** Added to each packet. */
  overhead: number
  /** Packets that may wait. */
  length: number
}

export type Queues = Readonly<Record<'begin' | 'bytes' | 'names', Queue>>

/** What `meta priority` of nft sets, so that no filter has to look at packets again. */
export const classOf: Readonly<Record<keyof Queues, string>> = {
  begin: '1:2',
  bytes: '1:3',
  names: '1:4',
}

// The most that tc takes, so that what a packet itself has (74 to 1,500 bytes) hardly matters.
const mostOverhead = 60_000
const smallestPacket = 74
const connectWaitSeconds = 30
// Resolvers ask again, or give up, after 5.
const nameWaitSeconds = 2
const queuedDataPackets = 1000

/** A rate in packets is one in bytes, for packets that all count alike. */
function packets(perSecond: number, burst: number, waitSeconds: number): Queue {
  const overhead = Math.min(mostOverhead, Math.floor(mostBytes / burst) - smallestPacket)
  const size = overhead + smallestPacket
  const length = perSecond * waitSeconds
  return { rate: perSecond * size, burst: burst * size, overhead, length }
}

/** For every setting that the configuration takes. */
export function queuesOf(settings: NetworkSettings): Queues {
  const { connectionsPerSecond, connectionBurst, dnsPerSecond, dnsBurst } = settings
  return {
    begin: packets(connectionsPerSecond, connectionBurst, connectWaitSeconds),
    names: packets(dnsPerSecond, dnsBurst, nameWaitSeconds),
    bytes: {
      rate: Math.max(settings.bytesPerSecond, leastBytesPerSecond),
      burst: possibleByteBurst(settings),
      overhead: 0,
      length: queuedDataPackets,
    },
  }
}

/** This kernel has no such queues. */
export class NoQueuesError extends Error {
  override name = 'NoQueuesError'
}

/**
 * Puts them up in a job's namespace; what has no class goes straight on.
 * @throws NoQueuesError, Error
 */
export async function layQueues(namespace: number, queues: Queues): Promise<void> {
  const classes = names.map((name) => classCommand(name, queues[name]))
  const root = `qdisc add dev ${jobInterface} root handle 1: htb default 0`
  try {
    await tc(namespace, [root, ...classes, ...names.map((name) => leafCommand(name, queues[name]))])
  } catch (error) {
    throw lacksQueues(error) ? new NoQueuesError((error as Error).message, { cause: error }) : error
  }
}

/**
 * What waits in them is thrown away: the next execution does not wait behind a dead job. What their
 * limits have counted stays.
 * @throws Error
 */
export async function emptyQueues(namespace: number, queues: Queues): Promise<void> {
  const replaced = names.flatMap((name) => [
    `qdisc del dev ${jobInterface} parent ${classOf[name]}`,
    leafCommand(name, queues[name]),
  ])
  await tc(namespace, replaced)
}

const names = Object.keys(classOf) as (keyof Queues)[]

function classCommand(name: keyof Queues, { rate, burst, overhead }: Queue): string {
  // bps is bytes per second here (tc(8), UNITS).
  const size = `rate ${rate}bps burst ${burst} cburst ${burst} overhead ${overhead} quantum 1514`
  return `class add dev ${jobInterface} parent 1: classid ${classOf[name]} htb ${size}`
}

function leafCommand(name: keyof Queues, { length }: Queue): string {
  const handle = `1${classOf[name].slice(2)}:`
  return `qdisc add dev ${jobInterface} parent ${classOf[name]} handle ${handle} pfifo limit ${length}`
}

async function tc(namespace: number, commands: readonly string[]): Promise<void> {
  const input = commands.map((command) => `${command}\n`).join('')
  await runProgram('tc', ['-batch', '-'], { inside: namespace, input })
}

/** What tc says of a kernel without HTB, an older one, and one without queues at all. */
function lacksQueues(error: unknown): boolean {
  const { message } = error as Error
  return /qdisc kind is unknown|RTNETLINK answers: (?:No such file|Operation not supported)/.test(
    message,
  )
}
