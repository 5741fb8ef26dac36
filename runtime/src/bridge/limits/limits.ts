/**
 * What one deployment's bridge accepts at the most. Every deployment has its own, and each limit
 * names the attack it stops; the operator's file sets them under `[bridge.limits]`.
 * @module
 */
import type { MethodClass } from '../methods.ts'

/** How often and how long methods of one class may be called. */
export interface ClassLimits {
  /** Calls per second in the long run. Stops a job from keeping the host busy. */
  perSecond: number
  /** Calls at once after a pause. */
  burst: number
  /** Time for an answer, ms. Stops calls that hang from using up the calls in flight. */
  deadlineMs: number
}

export interface BridgeLimits extends Readonly<Record<MethodClass, ClassLimits>> {
  /** Bytes of a request line, newline excluded. Stops memory being filled by a line without end. */
  maxLineBytes: number
  /**
   * Brackets, colons and commas outside the strings of a line; requests of the contract have below
   * 100. Stops the host being held up by parsing, which takes a hundred times as long for brackets
   * as for text.
   */
  maxStructure: number
  /** Time from accept to the whole line, ms. Stops connections held open by dribbling bytes. */
  lineTimeoutMs: number
  /** Open connections. Stops descriptors being used up. */
  maxConnections: number
  /** Calls whose work goes on at once. Stops work being queued without bound. */
  maxInFlight: number
  /**
   * Bytes of unfinished lines and unsent replies of all connections together. Stops memory being
   * filled by many lines, each below the limit.
   */
  maxBufferedBytes: number
  /** Time without progress in sending a reply, ms. Stops replies nobody reads from piling up. */
  sendTimeoutMs: number
  /**
   * Bytes read and thrown away after a reply, so that a peer that goes on sending can still read
   * it. Stops a sender without end.
   */
  maxDrainBytes: number
  /** Time for that, ms. Stops connections held open after their reply. */
  drainTimeoutMs: number
}

export const defaultLimits: BridgeLimits = {
  maxLineBytes: 1024 * 1024,
  maxStructure: 1024,
  lineTimeoutMs: 10_000,
  maxConnections: 256,
  maxInFlight: 64,
  maxBufferedBytes: 32 * 1024 * 1024,
  sendTimeoutMs: 10_000,
  maxDrainBytes: 16 * 1024 * 1024,
  drainTimeoutMs: 1_000,
  read: { perSecond: 2_000, burst: 4_000, deadlineMs: 5_000 },
  key: { perSecond: 1_000, burst: 2_000, deadlineMs: 10_000 },
  // Each is up to a hundred DNS queries: stops the host being used to flood others.
  network: { perSecond: 2, burst: 20, deadlineMs: 10_000 },
}

const noClassLimits: ClassLimits = { perSecond: Infinity, burst: Infinity, deadlineMs: Infinity }

/** For measuring: what a peer may take of the host is not limited, how long it may hang on is. */
export const noLimits: BridgeLimits = {
  ...defaultLimits,
  lineTimeoutMs: Infinity,
  maxConnections: Infinity,
  maxInFlight: Infinity,
  maxBufferedBytes: Infinity,
  read: noClassLimits,
  key: noClassLimits,
  network: noClassLimits,
}
