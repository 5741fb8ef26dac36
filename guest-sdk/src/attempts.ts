/** Repeats what was not carried out: nobody listened yet, or the host said when to come back. @module */
import { setTimeout as pause } from 'node:timers/promises'
import type { Deadline } from './deadline.ts'
import { BridgeError, BridgeUnavailableError } from './errors.ts'
import { exchange, lostHint } from './exchange.ts'
import { errorCodes } from './protocol/index.ts'

const firstDelayMs = 20
const maxSpreadMs = 200

/** Asks again while the host refuses for a limit, as late as it says and while there is time. */
export async function untilAdmitted<T>(ask: () => Promise<T>, deadline: Deadline): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      const waitMs = waitBefore(error, attempt)
      if (waitMs === undefined || waitMs >= deadline.remainingMs()) throw error
      await wait(waitMs, deadline.signal)
    }
  }
}

/** Undefined when no later call would fare better. */
function waitBefore(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof BridgeError) || error.code !== errorCodes.LIMIT_EXCEEDED) return undefined
  if (typeof error.retryAfterMs !== 'number') return undefined
  // Spread out: calls that were refused together would come back together.
  return error.retryAfterMs + Math.random() * Math.min(firstDelayMs * 2 ** attempt, maxSpreadMs)
}

/** Sends the line; retries while nobody listens (ECONNREFUSED) or the host's queue is full (EAGAIN). */
export async function sendUntilHeard(
  name: string,
  line: string,
  retries: number,
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await exchange(name, line, signal)
    } catch (error) {
      if (!isSystemError(error)) throw error
      if (error.syscall !== 'connect') throw lost(error)
      if (!isWorthRetrying(error) || attempt >= retries) throw unreachable(name, error)
      await wait(Math.random() * firstDelayMs * 2 ** attempt, signal)
    }
  }
}

/** @throws the signal's reason; the timer alone would throw an AbortError */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

function isWorthRetrying({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNREFUSED' || code === 'EAGAIN'
}

function lost(cause: Error): BridgeUnavailableError {
  return new BridgeUnavailableError(`the connection broke: ${cause.message}`, lostHint, { cause })
}

function unreachable(name: string, cause: unknown): BridgeUnavailableError {
  const hint =
    Number(process.versions.node.split('.')[0]) < 20
      ? 'Node 18 and older cannot reach abstract sockets; use Node 20.9 or later'
      : 'is the host running, and this process inside its deployment?'
  return new BridgeUnavailableError(`nobody answers on the abstract socket ${name}`, hint, {
    cause,
  })
}
