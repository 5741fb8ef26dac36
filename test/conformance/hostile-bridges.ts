/**
 * What listens where a bridge should and is none: every row of the kit must fail against it.
 * @module
 */
import type { Socket } from 'node:net'
import { versionRequest } from './kit/src/request.ts'
import type { Meet } from './abstract-server.ts'

// Its one reply is right but for the byte that is no UTF-8.
const nearlyRight = Buffer.from(
  '{"jsonrpc":"2.0","id":"1","result":{"version":"1.27.0\xff"}}\n',
  'latin1',
)
const flood = Buffer.alloc(1 << 20, 'x')
// Enough for the client to have sent something.
const laterMs = 5

/** Each, and how it treats a client. */
export const hostileBridges: readonly { name: string; meet: Meet }[] = [
  { name: 'text', meet: replies('hello\n') },
  { name: 'an empty line', meet: replies('\n') },
  { name: 'null', meet: replies('null\n') },
  { name: 'the request itself', meet: replies(`${versionRequest}\n`) },
  { name: 'bytes that are no UTF-8', meet: replies(Buffer.of(0xff, 0xfe, 0x0a)) },
  { name: 'a string that is no UTF-8', meet: replies(nearlyRight) },
  { name: 'half a line', meet: replies('{"jsonrpc":"2.0",') },
  { name: 'a line without end', meet: sendForEver },
  { name: 'a close at once', meet: (client) => client.destroy() },
  { name: 'a close after the line', meet: (client) => onLine(client, () => client.end()) },
  { name: 'a reset', meet: (client) => void setTimeout(() => client.destroy(), laterMs) },
]

function replies(reply: string | Buffer): Meet {
  return (client) => onLine(client, () => client.end(reply))
}

/** The end of the stream is taken for the end of a line. */
function onLine(client: Socket, act: () => void): void {
  client
    .on('data', (chunk) => void (chunk.includes('\n') && act()))
    .on('end', act)
    .resume()
}

function sendForEver(client: Socket): void {
  const send = () => void (client.writable && client.write(flood))
  client.on('drain', send).resume()
  send()
}
