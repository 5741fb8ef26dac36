/**
 * Receives bytes from one connection, and waits for them.
 * @module
 */
import type { Socket } from 'node:net'
import { CheckFailed, shown } from './outcome.ts'

/** The input so far. */
export interface Received {
  /** In the pieces that the kernel delivered. */
  chunks: readonly Buffer[]
  bytes: Buffer
  /** How the connection ended: `eof`, a system error's code, or words; absent while it is open. */
  end?: string
}

/** The receiving side of a socket. */
export interface Input {
  received: () => Received
  /** Waits until `done` returns true; fails the check when it takes too long. */
  until(done: (received: Received) => boolean, expected: string, ms: number): Promise<Received>
  /** Waits until the connection has ended or has been silent for so long. */
  untilQuiet(ms: number): Promise<Received>
}

/** How many bytes may still come; all connections of a check share it. */
export interface Allowance {
  bytes: number
}

/** Starts collecting; waiters check the input whenever it changes. */
export function createInput(socket: Socket, allowance: Allowance): Input {
  const chunks: Buffer[] = []
  const waiting = new Set<() => void>()
  let ended: string | undefined
  const received = () => ({
    chunks,
    bytes: Buffer.concat(chunks),
    ...(ended !== undefined && { end: ended }),
  })
  const changed = () => waiting.forEach((look) => look())
  const finish = (how: string) => {
    ended ??= how
    changed()
  }
  const take = (chunk: Buffer) => {
    allowance.bytes -= chunk.length
    chunks.push(chunk)
    if (allowance.bytes >= 0) return changed()
    finish('far too many bytes')
    socket.destroy()
  }
  socket
    .on('data', take)
    .on('end', () => finish('eof'))
    .on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
    .on('close', () => finish('closed'))
  return {
    received,
    until: (done, expected, ms) => waitUntil(waiting, received, { done, expected, ms }),
    untilQuiet: (ms) => waitUntilQuiet(waiting, received, ms),
  }
}

interface Goal {
  done: (received: Received) => boolean
  expected: string
  ms: number
}

function waitUntil(
  waiting: Set<() => void>,
  received: () => Received,
  { done, expected, ms }: Goal,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      waiting.delete(look)
      clearTimeout(timer)
    }
    const look = () => {
      if (!done(received())) return
      stop()
      resolve(received())
    }
    const timer = setTimeout(() => {
      stop()
      reject(new CheckFailed(expected, late(received(), ms)))
    }, ms)
    waiting.add(look)
    look()
  })
}

function waitUntilQuiet(
  waiting: Set<() => void>,
  received: () => Received,
  ms: number,
): Promise<Received> {
  return new Promise((resolve) => {
    const settle = () => {
      waiting.delete(look)
      clearTimeout(timer)
      resolve(received())
    }
    const look = () => void (received().end === undefined ? timer.refresh() : settle())
    const timer = setTimeout(settle, ms)
    waiting.add(look)
    look()
  })
}

function late({ bytes }: Received, ms: number): string {
  if (bytes.length === 0) return `no reply within ${ms} ms`
  return `${shown(bytes)} and nothing more within ${ms} ms`
}
