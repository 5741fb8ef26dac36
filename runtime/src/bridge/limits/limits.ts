/**
 * Limits of one deployment's bridge. Each limit names the attack that it stops; the operator sets
 * them under `[bridge.limits]`.
 * @module
 */
import type { MethodClass } from '../methods.ts'

/** How often and how long methods of one class may be called. */
export interface ClassLimits {
  /** Calls per second in the long run. Stops a job from keeping the host busy. */
  perSecond: number
  /** Calls that may come at once after a pause. */
  burst: number
  /** Time for an answer, ms. Stops hanging calls from using up the calls in flight. */
  deadlineMs: number
}

export interface BridgeLimits extends Readonly<Record<MethodClass, ClassLimits>> {
  /** Bytes of a request line without its newline. Stops an endless line from filling the memory. */
  maxLineBytes: number
  /**
   * Brackets, colons and commas outside of strings in a line; requests of the contract have fewer
   * than 100. Stops parsing from blocking the host: it takes a hundred times as long for brackets
   * as for text.
   */
  maxStructure: number
  /** Time from accept to the whole line, ms. Stops slow senders from holding connections. */
  lineTimeoutMs: number
  /** Open connections. Stops a job from using up descriptors. */
  maxConnections: number
  /** Calls in flight. Stops work from queueing without bound. */
  maxInFlight: number
  /**
   * Bytes of unfinished lines and unsent replies of all connections together. Stops many lines,
   * each below its limit, from filling the memory.
   */
  maxBufferedBytes: number
  /** Time without progress in sending a reply, ms. Stops unread replies from piling up. */
  sendTimeoutMs: number
  /**
   * Bytes discarded after a reply, so that a peer that still sends can read it. Stops endless
   * senders.
   */
  maxDrainBytes: number
  /** Time for discarding, ms. Stops peers from holding connections after their reply. */
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
  // A call makes up to a hundred DNS queries: the limit stops jobs from flooding others.
  network: { perSecond: 2, burst: 20, deadlineMs: 10_000 },
}

const noClassLimits: ClassLimits = { perSecond: Infinity, burst: Infinity, deadlineMs: Infinity }

/** For measurements: resources are not limited, but slow peers still are. */
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
