/**
 * What a check is, and what it is given.
 * @module
 */
import type { Connection } from './connection.ts'
import type { Received } from './input.ts'

/**
 * `spec`: what the bridge's specification and JSON-RPC 2.0 say. `causeway`: what both leave open
 * and Causeway decides.
 */
export type Profile = 'spec' | 'causeway'

/** One row of the kit. */
export interface Check {
  /** Group and name, such as `line.crlf`; stable. */
  id: string
  /** A heading of the bridge's specification, or of JSON-RPC 2.0. */
  section: string
  /** What holds, in one sentence. */
  title: string
  /** Default `spec`. */
  profile?: Profile
  /** Resolves when it holds. @throws CheckFailed, CheckSkipped */
  run(bridge: Bridge): Promise<void>
}

/** How one exchange of bytes differs from one line at once. */
export interface ExchangeOptions {
  /** Shut down the sending side after the last piece. */
  halfClose?: boolean
  /** Time between two pieces; default 1. */
  pauseMs?: number
  /** What to wait for; default `line`. */
  until?: 'line' | 'end' | 'settled'
}

/** The bridge under test, as one check sees it. */
export interface Bridge {
  /** Name of its abstract socket, without the leading NUL. */
  readonly name: string
  /** Longest wait for any one thing. */
  readonly timeoutMs: number
  /** A connection that is closed when the check ends. */
  open(): Promise<Connection>
  /**
   * Sends the pieces over a connection of their own and gives what came back; again, when that is
   * `-32005` with `retryAfterMs`.
   */
  exchange(pieces: readonly (string | Buffer)[], options?: ExchangeOptions): Promise<Received>
}
