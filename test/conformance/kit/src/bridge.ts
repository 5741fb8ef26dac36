/**
 * The bridge under test; its connections end with the check.
 * @module
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Bridge, ExchangeOptions } from './check.ts'
import { openConnection, type Connection } from './connection.ts'
import type { Received } from './input.ts'
import { CheckFailed } from './outcome.ts'
import { retryAfterMs } from './response.ts'

/** The bridge's name, and the limit of each wait. */
export interface BridgeOptions {
  name: string
  timeoutMs: number
}

// Far more than any check needs: a bridge that sends without end must not fill this process.
const maxReceivedBytes = 1 << 20

// A bridge that always answers "later" must not keep a check running forever.
const maxTries = 50

/** A bridge for one check; `close` ends all its connections, later ones too, and its waits. */
export function openBridge({ name, timeoutMs }: BridgeOptions): Bridge & { close(): void } {
  const connections = new Set<Connection>()
  const closing = new AbortController()
  const { signal } = closing
  const allowance = { bytes: maxReceivedBytes }
  const open = async (patience = 1) => {
    const limitMs = timeoutMs * patience
    const connection = await openConnection({ name, timeoutMs: limitMs, allowance })
    if (signal.aborted) {
      connection.destroy()
      throw new CheckFailed('a connection', 'the end of the check')
    }
    connections.add(connection)
    return connection
  }
  const exchangeOnce = async (
    pieces: readonly (string | Buffer)[],
    options: ExchangeOptions,
  ): Promise<Received> => {
    const connection = await open(options.patience)
    try {
      await sendPieces(connection, pieces, options)
      return await connection[options.until ?? 'line']()
    } finally {
      connection.destroy()
      connections.delete(connection)
    }
  }
  return {
    name,
    timeoutMs,
    open: () => open(),
    async exchange(pieces, options = {}) {
      for (let tries = 1; ; tries++) {
        const received = await exchangeOnce(pieces, options)
        const wait = retryAfterMs(received)
        if (wait === undefined || tries === maxTries) return received
        await delay(Math.min(wait, timeoutMs), undefined, { signal })
      }
    },
    close() {
      closing.abort()
      connections.forEach((connection) => connection.destroy())
    },
  }
}

async function sendPieces(
  connection: Connection,
  pieces: readonly (string | Buffer)[],
  { halfClose = false, pauseMs = 1 }: ExchangeOptions,
): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    // Without a pause the bridge would read two pieces as one.
    if (index > 0) await delay(pauseMs)
    if (connection.received().end !== undefined) return
    await connection.send(piece)
  }
  if (halfClose) connection.halfClose()
}
