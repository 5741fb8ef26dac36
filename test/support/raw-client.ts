/**
 * A client of an abstract socket that sends exactly the given bytes and knows no protocol.
 * @module
 */
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The reply, and how the connection ended: `eof`, or the system error's code. */
export interface RawReply {
  text: string
  end: string
}

export interface RawOptions {
  /** Shut down the sending side after the last chunk. */
  halfClose?: boolean
}

/** Connects to the form of the address that this Node sends. */
export function connectRaw(name: string): Socket {
  return connect({ path: `\0${name}`, allowHalfOpen: true })
}

/**
 * Sends each chunk in a turn of the event loop of its own, so that a server in this process reads
 * them one by one.
 */
export async function sendRaw(
  name: string,
  chunks: readonly (string | Buffer)[],
  { halfClose = false }: RawOptions = {},
): Promise<RawReply> {
  const socket = connectRaw(name)
  const reply = readToEnd(socket)
  for (const chunk of chunks) {
    socket.write(chunk)
    if (chunks.length > 1) await nextTurn()
  }
  if (halfClose) socket.end()
  return reply
}

/** Reads until the other side closes; then closes, too. */
export function readToEnd(socket: Socket): Promise<RawReply> {
  return new Promise((resolve) => {
    const received: Buffer[] = []
    const settle = (end: string) => {
      socket.destroy()
      resolve({ text: Buffer.concat(received).toString('utf8'), end })
    }
    socket
      .on('data', (chunk) => received.push(chunk))
      .on('end', () => settle('eof'))
      .on('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message))
  })
}
