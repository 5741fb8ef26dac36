/** Sends a query in one datagram, from a socket of its own. @module */
import { createSocket, type SocketOptions } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { LettersLost, NoReply, noReply, startClock, type Exchange } from './exchange.ts'
import { mostUdpBytes } from './message/query.ts'

/**
 * The kernel picks the port. As the socket is connected, the kernel delivers only datagrams of the
 * resolver. Wrong replies are ignored: a forger guesses, and the right reply may still come.
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
  return new LettersLost('its answers by UDP change the letter case of the question')
}

/** Returns the address itself: a look-up is not needed, and would take a thread. */
const asItIs: SocketOptions['lookup'] = (address, _, callback) =>
  callback(null, address, isIPv6(address) ? 6 : 4)
