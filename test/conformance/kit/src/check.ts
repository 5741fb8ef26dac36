/**
 * Types of checks, and of the bridge that a check gets.
 * @module
 */
import type { Connection } from './connection.ts'
import type { Received } from './input.ts'

/**
 * `spec`: required by the bridge's specification and JSON-RPC 2.0. `causeway`: left open by both,
 * decided by Causeway.
 */
export type Profile = 'spec' | 'causeway'

/** One row of the kit. */
export interface Check {
  /** Group and name, such as `line.crlf`; stable. */
  id: string
  /** A heading of the bridge's specification, or of JSON-RPC 2.0. */
  section: string
  /** The requirement, in one sentence. */
  title: string
  /** Default `spec`. */
  profile?: Profile
  /** Resolves when the requirement is met. @throws CheckFailed, CheckSkipped */
  run(bridge: Bridge): Promise<void>
}

/** Differences from sending one line at once. */
export interface ExchangeOptions {
  /** Shuts down the sending side after the last piece. */
  halfClose?: boolean
  /** Time between two pieces; default 1. */
  pauseMs?: number
  /** How many times the limit of each wait this takes; default 1. */
  patience?: number
  /** When to stop waiting; default `line`. */
  until?: 'line' | 'end' | 'settled'
}

/** The bridge under test, as one check sees it. */
export interface Bridge {
  /** Name of its abstract socket, without the leading NUL. */
  readonly name: string
  /** Limit of each wait. */
  readonly timeoutMs: number
  /** Opens a connection, which is closed when the check ends. */
  open(): Promise<Connection>
  /**
   * Sends the pieces over a new connection and resolves with the reply; retries a `-32005` that has
   * `retryAfterMs`.
   */
  exchange(pieces: readonly (string | Buffer)[], options?: ExchangeOptions): Promise<Received>
}
