/**
 * Sends a query by TCP (RFC 7766): for replies that are too long for a datagram, and for resolvers
 * whose datagrams do not arrive or change the letter case of the question.
 * @module
 */
import { connect } from 'node:net'
import { NoReply, noReply, startClock, type Exchange } from './exchange.ts'

/** dns-packet's time grows with the square of the size; see reply-guard. */
const mostBytes = 8192
const lengthBytes = 2

export const exchangeByTcp: Exchange = (query, { address, port }, options) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true })
    let received = Buffer.alloc(0)
    const end = (settle: () => void) => {
      clock.stop()
      socket.destroy()
      settle()
    }
    const fail = (error: Error) => end(() => reject(error))
    const clock = startClock(options, fail)
    socket.on('error', (error) => fail(noReply(error)))
    socket.on('end', () => fail(new NoReply('it closed the connection')))
    socket.on('data', (part) => {
      received = Buffer.concat([received, part])
      const reply = firstMessage(received)
      if (reply instanceof NoReply) fail(reply)
      // Nobody can forge replies by TCP blindly: the resolver itself is wrong.
      else if (reply && !query.isAnsweredBy(reply)) fail(new NoReply('it answered something else'))
      else if (reply) end(() => resolve(reply))
    })
    socket.write(withLength(query.packet))
  })

function withLength(packet: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt16BE(packet.length)
  return Buffer.concat([length, packet])
}

/** The first whole message; undefined while bytes of it are missing. */
function firstMessage(received: Buffer): Buffer | NoReply | undefined {
  if (received.length < lengthBytes) return undefined
  const length = received.readUInt16BE()
  if (length > mostBytes) return new NoReply(`its answer has ${length} bytes, over ${mostBytes}`)
  if (received.length < lengthBytes + length) return undefined
  return received.subarray(lengthBytes, lengthBytes + length)
}
