/**
 * A server under load, of any implementation.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { sendRaw } from '../../support/raw-client.ts'

export interface Server {
  name: string
  /** Name of the abstract socket without the leading NUL. */
  socket: string
  pid: number
  request: string
  /** The same reply for every call. */
  reply: string
  /**
   * Number of requests and replies in these texts, all of one length; calls take them in turn.
   * Default 1.
   */
  exchanges?: number
  stop: () => Promise<void>
}

/** A call that costs the server next to nothing, so that the transport remains. */
export const trivialRequest = '{"jsonrpc":"2.0","method":"deployment_id","params":[],"id":"1"}\n'

/** A name of 107 bytes: Node 20 pads shorter ones and would not find the C programs. */
export function fullLengthName(): string {
  return `causeway-bench-${randomBytes(46).toString('hex')}`
}

/** Calls once, to learn the reply. @throws Error when the server does not close after it */
export async function askServer(socket: string, request: string): Promise<string> {
  const { text, end } = await sendRaw(socket, [request])
  if (end !== 'eof' || text === '')
    throw new Error(`expected a reply and the end, found ${end} after ${JSON.stringify(text)}`)
  return text
}
