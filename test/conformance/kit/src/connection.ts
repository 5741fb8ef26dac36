/**
 * One connection to the bridge: bytes out, bytes in, every wait bounded.
 * @module
 */
import type { Socket } from 'node:net'
import { createInput, type Allowance, type Received } from './input.ts'
import { CheckFailed } from './outcome.ts'
import { ReadingSocket } from './reading-socket.ts'

/** A connected socket. Every wait that takes too long fails the check. */
export interface Connection {
  /** Resolves when the kernel has taken the bytes, or the connection has ended. */
  send(bytes: string | Buffer): Promise<void>
  /** Shuts down the sending side. */
  halfClose(): void
  /** Waits until a complete line has come, or the connection has ended. */
  line(): Promise<Received>
  /** Waits until the bridge has closed. */
  end(): Promise<Received>
  /** Waits until the bridge has closed, or has been silent for a while. */
  quiet(): Promise<Received>
  /** Waits for `line`, then for `quiet`. */
  settled(): Promise<Received>
  received(): Received
  /** Stops and resumes reading from the socket. */
  pause(): void
  resume(): void
  destroy(): void
}

// After this much silence no more bytes are expected.
const quietMs = 250

const newline = 0x0a

export interface ConnectionOptions {
  /** Name of the abstract socket, without the leading NUL. */
  name: string
  /** Limit of each wait. */
  timeoutMs: number
  allowance: Allowance
}

/** Connects, with the form of the address that this Node sends. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { name, timeoutMs } = options
  const socket = new ReadingSocket().connect({ path: `\0${name}` })
  const connection = createConnection(socket, options)
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new CheckFailed('a connection', `none within ${timeoutMs} ms`))
    }, timeoutMs)
    socket.on('close', () => clearTimeout(timer))
    socket.once('connect', () => resolve(clearTimeout(timer)))
    socket.once('error', (error: NodeJS.ErrnoException) => reject(cannotConnect(error)))
  })
  return connection
}

function cannotConnect(error: NodeJS.ErrnoException): CheckFailed {
  const failure = new CheckFailed('a connection', error.code ?? error.message)
  failure.cause = error
  return failure
}

function createConnection(socket: Socket, { timeoutMs, allowance }: ConnectionOptions): Connection {
  const input = createInput(socket, allowance)
  const wait = (done: (received: Received) => boolean, expected: string) =>
    input.until(done, expected, timeoutMs)
  const line = () => wait(hasLine, 'a reply')
  const quiet = () => input.untilQuiet(quietMs)
  return {
    send: (bytes) => sendAll(socket, bytes, timeoutMs),
    halfClose: () => void socket.end(),
    line,
    end: () => wait(({ end }) => end !== undefined, 'the connection closed by the bridge'),
    quiet,
    async settled() {
      await line()
      return quiet()
    },
    received: input.received,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
  }
}

function hasLine({ bytes, end }: Received): boolean {
  return end !== undefined || bytes.includes(newline)
}

function sendAll(socket: Socket, bytes: string | Buffer, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer)
      socket.off('close', settle)
      resolve()
    }
    const timer = setTimeout(() => {
      reject(new CheckFailed('bytes taken', `none taken within ${timeoutMs} ms`))
    }, timeoutMs)
    if (socket.destroyed) return settle()
    socket.once('close', settle)
    // The received bytes show what a failed write means.
    socket.write(bytes, settle)
  })
}
