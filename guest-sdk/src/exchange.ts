/** Sends one line and receives one line over one connection to an abstract Unix socket. @module */
import { connect, type Socket } from 'node:net'
import { BridgeProtocolError, BridgeUnavailableError } from './errors.ts'

const maxReplyBytes = 64 * 1024 * 1024

/** The hint for a call whose request was sent but whose reply never came. */
export const lostHint = 'the host may or may not have carried out the call'

/**
 * Sends a request line and resolves with the reply line, both without the newline. Every Node can
 * use this address: 22 and later send the exact name, 20 pads it with NUL bytes, and the host
 * listens on both.
 * @throws the system error of the connection, BridgeUnavailableError for an early close,
 *   BridgeProtocolError for an endless reply, or the signal's reason.
 */
export function exchange(socketName: string, line: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const socket = connect(`\0${socketName}`)
    const settle = (end: () => void) => {
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      end()
    }
    const onAbort = () => settle(() => reject(signal.reason as Error))
    signal.addEventListener('abort', onAbort)
    socket.on('error', (error) => settle(() => reject(error)))
    readLine(socket, (reply) =>
      settle(() => (reply instanceof Error ? reject(reply) : resolve(reply))),
    )
    socket.write(`${line}\n`)
  })
}

function readLine(socket: Socket, done: (reply: string | Error) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  socket.on('data', (chunk) => {
    const newline = chunk.indexOf(0x0a)
    bytes += chunk.length
    chunks.push(newline < 0 ? chunk : chunk.subarray(0, newline))
    if (newline >= 0) done(Buffer.concat(chunks).toString('utf8'))
    else if (bytes > maxReplyBytes) done(new BridgeProtocolError('the reply is over 64 MiB'))
  })
  // A reply without its newline is still a reply; an empty one is not.
  socket.on('close', () =>
    done(
      bytes > 0
        ? Buffer.concat(chunks).toString('utf8')
        : new BridgeUnavailableError('the host closed the connection without a reply', lostHint),
    ),
  )
}
