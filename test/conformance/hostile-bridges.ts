/**
 * Listeners that are not bridges: every row of the kit must fail against them.
 * @module
 */
import type { Socket } from 'node:net'
import { versionRequest } from './kit/src/request.ts'
import type { Meet } from './abstract-server.ts'

// The only fault of this reply is the byte that is not UTF-8.
const nearlyRight = Buffer.from(
  '{"jsonrpc":"2.0","id":"1","result":{"version":"1.27.0\xff"}}\n',
  'latin1',
)
const flood = Buffer.alloc(1 << 20, 'x')
// Enough for the client to have sent its first bytes.
const laterMs = 5

/** Each listener, and how it treats a client. */
export const hostileBridges: readonly { name: string; meet: Meet }[] = [
  { name: 'text', meet: replies('hello\n') },
  { name: 'an empty line', meet: replies('\n') },
  { name: 'null', meet: replies('null\n') },
  { name: 'the request itself', meet: replies(`${versionRequest}\n`) },
  { name: 'bytes that are not UTF-8', meet: replies(Buffer.of(0xff, 0xfe, 0x0a)) },
  { name: 'a string that is not UTF-8', meet: replies(nearlyRight) },
  { name: 'half a line', meet: replies('{"jsonrpc":"2.0",') },
  { name: 'a line without end', meet: sendForEver },
  { name: 'a close at once', meet: (client) => client.destroy() },
  { name: 'a close after the line', meet: (client) => onLine(client, () => client.end()) },
  { name: 'a reset', meet: (client) => void setTimeout(() => client.destroy(), laterMs) },
]

function replies(reply: string | Buffer): Meet {
  return (client) => onLine(client, () => client.end(reply))
}

/** Treats the end of the stream as the end of a line. */
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
