/**
 * A query in one datagram, from a socket of its own.
 * @module
 */
import { createSocket, type SocketOptions } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { LettersLost, NoReply, noReply, startClock, type Exchange } from './exchange.ts'
import { mostUdpBytes } from './message/query.ts'

/**
 * The kernel picks the port, and passes on only what comes from the resolver, as the socket is
 * connected. Wrong replies are passed over: somebody guesses, and the right one still comes.
 */
export const exchangeByUdp: Exchange = (query, { address, port }, options) =>
  new Promise((resolve, reject) => {
    const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', lookup: asItIs })
    let isOpen = true
    let isInOtherLetters = false
    const end = (settle: () => void) => {
      if (!isOpen) return
      isOpen = false
      clock.stop()
      socket.close()
      settle()
    }
    const fail = (error: Error) => end(() => reject(error))
    const giveUp = (reason: Error) =>
      fail(isInOtherLetters && reason instanceof NoReply ? lettersLost() : reason)
    const clock = startClock(options, giveUp)
    socket.on('error', (error) => fail(noReply(error)))
    socket.on('message', (reply) => {
      if (reply.length > mostUdpBytes) return
      if (query.isAnsweredBy(reply)) end(() => resolve(reply))
      else isInOtherLetters ||= query.isAnsweredInOtherLetters(reply)
    })
    socket.connect(port, address, () => {
      if (isOpen) socket.send(query.packet)
    })
  })

function lettersLost(): LettersLost {
  return new LettersLost('its answers by UDP do not keep the letters of the question')
}

/** It is an address: nothing is to be looked up, least of all on a thread. */
const asItIs: SocketOptions['lookup'] = (address, _, callback) =>
  callback(null, address, isIPv6(address) ? 6 : 4)
