/**
 * The bridge's transport: an epoll engine under Node's event loop. One line in, one line out,
 * close; who may call, how much and for how long is decided in it, before JavaScript sees a byte.
 *
 * @module
 */
import { addon, type NativeBridgeEngine } from './addon.ts'
import { admit, reasonAt, refusal, type Membership, type Refusal } from './engine/membership.ts'
import { checked } from './system-error.ts'
import {
  bindAbstract,
  maxAbstractNameBytes,
  type AbstractForm,
  type PeerCredentials,
} from './abstract-socket.ts'
import { closeFd } from './pipe.ts'

/** What one engine accepts at the most. Infinity lifts a limit. */
export interface EngineLimits {
  /** Bytes of a request line, its end excluded. */
  maxLineBytes: number
  /** Time from accept to the whole line, ms. */
  lineTimeoutMs: number
  maxConnections: number
  /** Bytes of unfinished lines and unsent replies of all connections together. */
  maxBufferedBytes: number
  /** Time without progress in sending a reply, ms. */
  sendTimeoutMs: number
  /** Bytes read and thrown away after the reply to a peer that goes on sending. */
  maxDrainBytes: number
  /** Time for that, ms; 0 closes at once. */
  drainTimeoutMs: number
}

/** Reply lines, without their newline, that need no look at the request. */
export interface EngineNotices {
  lineTooLong: string
  lineTooLate: string
  tooManyConnections: string
  buffersFull: string
  peerRejected: string
}

/** Peers turned away for one reason since the last word about it. */
export interface EngineRefusal extends Refusal {
  count: number
  /** The first of them. */
  peer: PeerCredentials
}

export interface EngineOptions {
  /** Name of the abstract socket without the leading NUL, 1 to 107 bytes. */
  name: string
  /** Descriptor of the network namespace that it listens in; default: our own. */
  network?: number
  limits: EngineLimits
  notices: EngineNotices
  /**
   * Takes a request line: a string when it is ASCII, else its bytes. Answer it by `reply` with the
   * tag, now or later. Must not throw.
   */
  onLine: (line: string | Buffer, peer: PeerCredentials, tag: number) => void
  /** Called after the last of the lines that came together. Must not throw. */
  onLinesEnd: () => void
  onRefusal: (refusal: EngineRefusal) => void
}

/** A listening engine. */
export interface BridgeEngine {
  /**
   * Says who may call; before the first time nobody may. Connections that are open stay.
   * @throws SystemError, such as `ENOENT` or `ESRCH` when there is no process `pid`
   */
  admit(membership: Membership): void
  /**
   * Sends one line (newline added) and closes; undefined closes without a byte.
   * @returns false when the peer is gone already
   */
  reply(tag: number, text: string | undefined): boolean
  /** Looks again at the process of an open connection; undefined when it still belongs. */
  judgeAgain(tag: number): Refusal | undefined
  /** Stops listening and closes every connection; those with a call unanswered get this line. */
  close(lastWord: string): void
}

/**
 * Listens on the exact name and on the name padded with NUL bytes to 108: Node 20 clients reach
 * only the padded one, everything else only the exact one.
 *
 * @throws TypeError or RangeError naming the argument; SystemError such as `EADDRINUSE`; nothing
 *   listens then.
 */
export function startBridgeEngine(options: EngineOptions): BridgeEngine {
  const native = createNative(options, bindBoth(options))
  checked('epoll_ctl', native.open())
  const observed = new Float64Array(1)
  return {
    admit: (membership) => admit(native, membership),
    reply: (tag, text) => native.reply(tag, text),
    judgeAgain: (tag) => refusal(native.judgeAgain(tag, observed), observed),
    close: (lastWord) => native.close(lastWord),
  }
}

function bindBoth({ name, network }: EngineOptions): number[] {
  const bind = (form: AbstractForm) => bindAbstract(name, form, undefined, network)
  const exact = bind('exact')
  // A name that fills the address: both forms are one.
  if (Buffer.byteLength(name) === maxAbstractNameBytes) return [exact]
  try {
    return [exact, bind('padded')]
  } catch (error) {
    closeFd(exact)
    throw error
  }
}

function createNative(options: EngineOptions, fds: readonly number[]): NativeBridgeEngine {
  const { limits, notices, onLine, onLinesEnd, onRefusal } = options
  const { maxLines, BridgeEngine } = addon()
  const tags = new Float64Array(maxLines)
  const peers = new Int32Array(3 * maxLines)
  const peerAt = (index: number) => ({
    pid: peers[3 * index]!,
    // The array is signed for the pid; ids are not.
    uid: peers[3 * index + 1]! >>> 0,
    gid: peers[3 * index + 2]! >>> 0,
  })
  return new BridgeEngine(
    fds,
    limitValues(limits),
    noticeTexts(notices),
    tags,
    peers,
    (...lines) => {
      lines.forEach((line, index) => onLine(line, peerAt(index), tags[index]!))
      onLinesEnd()
    },
    (reason, count, pid, uid, gid, observed) =>
      onRefusal({ reason: reasonAt(reason), count, peer: { pid, uid, gid }, observed }),
  )
}

function limitValues(limits: EngineLimits): Float64Array {
  return Float64Array.of(
    limits.maxLineBytes,
    limits.lineTimeoutMs,
    limits.maxConnections,
    limits.maxBufferedBytes,
    limits.sendTimeoutMs,
    limits.maxDrainBytes,
    limits.drainTimeoutMs,
  )
}

function noticeTexts(notices: EngineNotices): string[] {
  return [
    notices.lineTooLong,
    notices.lineTooLate,
    notices.tooManyConnections,
    notices.buffersFull,
    notices.peerRejected,
  ]
}
