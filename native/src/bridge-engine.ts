/**
 * The bridge's transport: an epoll engine in Node's event loop. One line in, one line out, close.
 * It decides who may call, how much and how long, before JavaScript sees a byte.
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
import { closeFd } from './process/pipe.ts'

/** Limits of one engine. Infinity lifts a limit. */
export interface EngineLimits {
  /** Bytes of a request line, its end excluded. */
  maxLineBytes: number
  /** Time from accept to the complete line, ms. */
  lineTimeoutMs: number
  maxConnections: number
  /** Bytes of unfinished lines and unsent replies of all connections together. */
  maxBufferedBytes: number
  /** Longest time without progress in sending a reply, ms. */
  sendTimeoutMs: number
  /** Bytes read and discarded after the reply to a peer that keeps sending. */
  maxDrainBytes: number
  /** Time for discarding them, ms; 0 closes at once. */
  drainTimeoutMs: number
}

/** Reply lines, without their newline, that do not depend on the request. */
export interface EngineNotices {
  lineTooLong: string
  lineTooLate: string
  /** For blank lines and nothing else until the stream ends, or until `lineTimeoutMs`. */
  onlyBlankLines: string
  tooManyConnections: string
  buffersFull: string
  peerRejected: string
}

/** Peers refused for one reason since the last report. */
export interface EngineRefusal extends Refusal {
  count: number
  /** The first of these peers. */
  peer: PeerCredentials
}

export interface EngineOptions {
  /** Name of the abstract socket without the leading NUL, 1 to 107 bytes. */
  name: string
  /** Descriptor of the network namespace to listen in; default: our own. */
  network?: number
  limits: EngineLimits
  notices: EngineNotices
  /**
   * Takes a request line: a string if it is ASCII, else its bytes. Answer it, now or later, with
   * `reply` and the tag. It must not throw.
   */
  onLine: (line: string | Buffer, peer: PeerCredentials, tag: number) => void
  /** Called after the last of several lines that arrived together. It must not throw. */
  onLinesEnd: () => void
  onRefusal: (refusal: EngineRefusal) => void
}

/** A listening engine. */
export interface BridgeEngine {
  /**
   * Sets who may call; before the first time nobody may. Open connections stay.
   * @throws SystemError, such as `ENOENT` or `ESRCH` when there is no process `pid`
   */
  admit(membership: Membership): void
  /**
   * Sends one line (adding a newline) and closes; undefined closes without sending.
   * @returns false when the peer is already gone
   */
  reply(tag: number, text: string | undefined): boolean
  /** Checks the process of an open connection again; undefined when it still belongs. */
  judgeAgain(tag: number): Refusal | undefined
  /** Stops listening and closes every connection; those with an unanswered call get `lastWord`. */
  close(lastWord: string): void
}

/**
 * Listens on the exact name, and on the name padded with NUL bytes to 108: Node 20 clients reach
 * only the padded one, all others only the exact one.
 *
 * @throws TypeError or RangeError naming the argument; SystemError such as `EADDRINUSE`; then
 *   nothing listens.
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
  // A name that fills the address has the same address in both forms.
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
    // The array is signed for the pid; uids and gids are unsigned.
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
    notices.onlyBlankLines,
    notices.tooManyConnections,
    notices.buffersFull,
    notices.peerRejected,
  ]
}
