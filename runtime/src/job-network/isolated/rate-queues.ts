/**
 * Queues (tc-htb(8)) in which packets over a rate wait, one for each limit, at the job's end of the
 * veth pair. A connection that waits is late, not lost, and no packet of it is sent twice: TCP does
 * not resend a packet that is still in a queue of its own host.
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
  /** Bytes per second, each packet counted with `overhead`. */
  rate: number
  burst: number
  /** Bytes added to the size of each packet. */
  overhead: number
  /** Packets that may wait. */
  length: number
}

export type Queues = Readonly<Record<'begin' | 'bytes' | 'names', Queue>>

/** Classes, which nft sets as `meta priority`, so that no tc filter has to match packets again. */
export const classOf: Readonly<Record<keyof Queues, string>> = {
  begin: '1:2',
  bytes: '1:3',
  names: '1:4',
}

// The most that tc accepts, so that the packet's own size (74 to 1,500 bytes) hardly matters.
const mostOverhead = 60_000
const smallestPacket = 74
const connectWaitSeconds = 30
// Resolvers ask again, or give up, after 5 seconds.
const nameWaitSeconds = 2
const queuedDataPackets = 1000

/** Expresses a rate of packets in bytes: with the overhead all packets count alike. */
function packets(perSecond: number, burst: number, waitSeconds: number): Queue {
  const overhead = Math.min(mostOverhead, Math.floor(mostBytes / burst) - smallestPacket)
  const size = overhead + smallestPacket
  const length = perSecond * waitSeconds
  return { rate: perSecond * size, burst: burst * size, overhead, length }
}

/** Queues for any settings that the configuration accepts. */
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

/** This kernel has no HTB queues. */
export class NoQueuesError extends Error {
  override name = 'NoQueuesError'
}

/**
 * Adds the queues to a job's namespace; packets without a class bypass them.
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
 * Drops the packets that wait, so that the next execution does not wait behind a dead job. The
 * state of the limits stays.
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

/** Matches tc's messages for a kernel without HTB, an older one, and one without any queues. */
function lacksQueues(error: unknown): boolean {
  const { message } = error as Error
  return /qdisc kind is unknown|RTNETLINK answers: (?:No such file|Operation not supported)/.test(
    message,
  )
}
