/**
 * A DNS server that sends whatever a test wants: UDP and TCP on one loopback port.
 * @module
 */
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { encode, type Answer, type Packet } from 'dns-packet'
import type { Resolver } from '../../service/src/dns/resolver.ts'

export interface Forger {
  /** What goes back for a query by UDP, one datagram each. */
  udp?: (query: Buffer) => readonly Buffer[]
  /** The same from another port than the one that was asked. */
  udpFromElsewhere?: (query: Buffer) => readonly Buffer[]
  /** What goes back by TCP, as it is, piece by piece; the connection stays open. */
  tcp?: (query: Buffer) => readonly Buffer[]
}

export interface ForgingServer extends Resolver, AsyncDisposable {
  /** How each query came. */
  asked: ('udp' | 'tcp')[]
}

export async function startForgingServer(
  forger: Forger,
  address = '127.0.0.1',
): Promise<ForgingServer> {
  const asked: ForgingServer['asked'] = []
  const connections = new Set<Socket>()
  const tcp = createServer((socket) => {
    connections.add(socket)
    socket.on('error', () => {})
    socket.once('data', (framed) => {
      asked.push('tcp')
      void sendPieces(socket, forger.tcp?.(framed.subarray(2)) ?? [])
    })
  })
  await once(tcp.listen(0, address), 'listening')
  const { port } = tcp.address() as { port: number }
  const family = address.includes(':') ? 'udp6' : 'udp4'
  const [udp, elsewhere] = [createSocket(family), createSocket(family)]
  udp.on('message', (query, { port: from }: RemoteInfo) => {
    asked.push('udp')
    forger.udpFromElsewhere?.(query).forEach((reply) => elsewhere.send(reply, from, address))
    // Those from elsewhere go first.
    setImmediate(() => forger.udp?.(query).forEach((reply) => udp.send(reply, from, address)))
  })
  await once(udp.bind(port, address), 'listening')
  return {
    address,
    port,
    asked,
    async [Symbol.asyncDispose]() {
      udp.close()
      elsewhere.close()
      connections.forEach((socket) => socket.destroy())
      await once(tcp.close(), 'close')
    },
  }
}

async function sendPieces(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  socket.setNoDelay(true)
  for (const piece of pieces) {
    await new Promise((resolve) => setImmediate(resolve))
    socket.write(piece)
  }
}

/** The question of a query, as bytes. */
export function questionOf(query: Buffer): Buffer {
  let end = 12
  while (query[end] !== 0) end += 1 + query[end]!
  return query.subarray(12, end + 5)
}

/** A reply to a query, with some of it changed. */
export function replyTo(query: Buffer, answers: Answer[], changes: Packet = {}): Buffer {
  const id = query.readUInt16BE(0)
  const packet = encode({ type: 'response', id, flags: 0, answers, ...changes })
  const header = packet.subarray(0, 12)
  if (changes.questions) return packet
  header.writeUInt16BE(1, 4)
  return Buffer.concat([header, questionOf(query), packet.subarray(12)])
}

export function withLength(packet: Buffer, length = packet.length): Buffer {
  const head = Buffer.alloc(2)
  head.writeUInt16BE(length)
  return Buffer.concat([head, packet])
}
