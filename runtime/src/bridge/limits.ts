/** What one deployment's bridge accepts at the most; each limit names the attack it stops. */
export interface BridgeLimits {
  /** Bytes of a request line, newline excluded. Stops memory being filled by a line without end. */
  maxLineBytes: number
  /** Time from accept to the whole line, ms. Stops connections held open by dribbling bytes. */
  lineTimeoutMs: number
  /** Open connections. Stops descriptors being used up. */
  maxConnections: number
  /** Calls being answered at once. Stops work being queued without bound. */
  maxInFlight: number
  /** Time without progress in sending a reply, ms. Stops replies nobody reads from piling up. */
  sendTimeoutMs: number
  /** Bytes read and thrown away after a refused line, so that the sender can still read why. */
  maxDrainBytes: number
  /** Time for that, ms. */
  drainTimeoutMs: number
}

export const defaultLimits: BridgeLimits = {
  maxLineBytes: 1024 * 1024,
  lineTimeoutMs: 10_000,
  maxConnections: 256,
  maxInFlight: 64,
  sendTimeoutMs: 10_000,
  maxDrainBytes: 16 * 1024 * 1024,
  drainTimeoutMs: 1_000,
}

/** For measuring: no limit but the line's size. */
export const noLimits: BridgeLimits = {
  ...defaultLimits,
  lineTimeoutMs: 2 ** 31 - 1,
  maxConnections: Infinity,
  maxInFlight: Infinity,
}
