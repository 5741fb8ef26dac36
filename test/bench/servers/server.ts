/**
 * A server under load, whatever it is made of.
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
  /** The same for every call. */
  reply: string
  /**
   * How many requests and replies these are, one after another and all of the same length; calls
   * take them in turn. Default 1.
   */
  exchanges?: number
  stop: () => Promise<void>
}

/** The call that costs the server next to nothing: what is left is the transport. */
export const trivialRequest = '{"jsonrpc":"2.0","method":"deployment_id","params":[],"id":"1"}\n'

/** A name of 107 bytes: Node 20 pads shorter ones and would not meet the C programs. */
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
