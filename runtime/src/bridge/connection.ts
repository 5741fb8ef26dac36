/**
 * One accepted connection: bytes in, one line, one reply, close.
 * @module
 */
import type { Socket } from 'node:net'
import { errorReply, RpcError } from './errors.ts'
import type { BridgeLimits } from './limits.ts'

/** Reply line without its newline; undefined closes without a byte. */
export type Respond = (line: Buffer) => Promise<string | undefined>

const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Serves one connection and closes it. The socket must allow half-open: clients that shut down
 * their sending side after the line still get the reply.
 */
export function serveConnection(socket: Socket, respond: Respond, limits: BridgeLimits): void {
  const refuse = (error: RpcError) => turnAway(socket, errorReply(error), limits)
  const stopReading = readLine(socket, limits.maxLineBytes, (line) => {
    clearTimeout(deadline)
    if (line === 'none') socket.destroy()
    else if (line === 'oversize') refuse(tooLong(limits))
    else void respond(line).then((text) => reply(socket, text, limits))
  })
  const deadline = setTimeout(() => {
    stopReading()
    refuse(tooLate(limits))
  }, limits.lineTimeoutMs)
  socket.on('close', () => clearTimeout(deadline))
}

/** Sends one line (or nothing) in one write and closes without waiting for the peer to close. */
function reply(socket: Socket, text: string | undefined, limits: BridgeLimits): void {
  // The peer hung up, or the bridge was stopped, while the call was being answered.
  if (socket.destroyed) return
  const discarded = discardInput(socket, limits)
  send(socket, text, limits)
  // One turn of the loop reads what is there already; then the connection goes.
  socket.on('finish', () => setImmediate(() => discarded() === 0 && socket.destroy()))
}

/**
 * Sends one line to a peer whose request is not read, or not to its end. It may be sending still,
 * so the bridge waits a bounded time for the peer to close: after an early close its send would
 * fail, and few clients read a reply after that.
 */
export function turnAway(socket: Socket, text: string, limits: BridgeLimits): void {
  discardInput(socket, limits)
  send(socket, text, limits)
}

/** A slow reader gets the whole reply; one that reads nothing for too long is left. */
function send(socket: Socket, text: string | undefined, limits: BridgeLimits): void {
  socket.setTimeout(limits.sendTimeoutMs, () => socket.destroy())
  if (text === undefined) socket.end()
  else socket.end(`${text}\n`)
}

/**
 * Closing with unread input makes the kernel reset the connection, and a peer in the middle of a
 * long send would never see the reply. So what comes is thrown away until the peer closes: within
 * bounds, whose time begins when the reply is sent.
 * @returns the number of bytes so far
 */
function discardInput(socket: Socket, limits: BridgeLimits): () => number {
  let bytes = 0
  socket.on('finish', () => {
    const timer = setTimeout(() => socket.destroy(), limits.drainTimeoutMs)
    socket.on('close', () => clearTimeout(timer))
  })
  socket.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > limits.maxDrainBytes) socket.destroy()
  })
  return () => bytes
}

type LineResult = Buffer | 'oversize' | 'none'

/**
 * Hands over the first line that is not blank, ended by `\n`, `\r\n` or the end of the stream.
 * @returns a function that stops reading without a result
 */
function readLine(socket: Socket, maxBytes: number, done: (line: LineResult) => void): () => void {
  const pending: Buffer[] = []
  let bytes = 0
  let blanks = 0
  const stop = () => void socket.off('data', onData).off('end', onEnd)
  const settle = (line: LineResult) => {
    stop()
    done(line)
  }
  const onData = (chunk: Buffer) => {
    const text = bytes === 0 ? skipBlankLines(chunk) : chunk
    blanks += chunk.length - text.length
    const end = text.indexOf(newline)
    const part = end < 0 ? text : text.subarray(0, end)
    bytes += part.length
    // An empty part would keep its whole chunk in memory.
    if (part.length > 0) pending.push(part)
    if (end >= 0) settle(wholeLine(pending, maxBytes))
    // One byte more than the limit may be the carriage return before the newline.
    else if (bytes > maxBytes + 1 || blanks > maxBytes) settle('oversize')
  }
  const onEnd = () => settle(bytes === 0 ? 'none' : wholeLine(pending, maxBytes))
  socket.on('data', onData).on('end', onEnd)
  return stop
}

function skipBlankLines(chunk: Buffer): Buffer {
  const start = chunk.findIndex((byte) => byte !== newline && byte !== carriageReturn)
  return chunk.subarray(start < 0 ? chunk.length : start)
}

function wholeLine(parts: readonly Buffer[], maxBytes: number): LineResult {
  const line = trimEnd(Buffer.concat(parts))
  return line.length > maxBytes ? 'oversize' : line
}

function trimEnd(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
}

function tooLong({ maxLineBytes }: BridgeLimits): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `the request line is over ${maxLineBytes} bytes`, {
    details: { maxLineBytes },
  })
}

function tooLate({ lineTimeoutMs }: BridgeLimits): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `no whole request line within ${lineTimeoutMs} ms`, {
    retryAfterMs: 0,
    details: { lineTimeoutMs },
  })
}
