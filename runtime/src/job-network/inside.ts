/**
 * TCP inside a job's network, for the host's own ends of what a job offers or is offered.
 * @module
 */
import { once } from 'node:events'
import { createServer, Socket, type Server } from 'node:net'
import {
  connectIn,
  listenIn,
  openNetworkHandle,
  type NetworkHandle,
} from '@causeway/native/network'

/** The inside of a job's network, until it is closed. */
export interface Inside {
  /** For native addons of ours, which connect and listen inside without JavaScript. */
  readonly handle: NetworkHandle['handle']
  /**
   * Listens at an address inside; the caller closes the server.
   * @param port 0: any free one, see `address()` of the server
   * @throws SystemError such as EADDRINUSE
   */
  listen(address: string, port: number): Promise<Server>
  /** Connects to an address inside. A failure is the socket's `error`. @throws SystemError */
  connect(address: string, port: number): Socket
  /** Ends both faces: calls then throw, or answer ESHUTDOWN. */
  close(): void
}

const over = () => new Error('the execution of this network is over')

/** @param namespace descriptor that stays the caller's; undefined: the host's own network */
export function openInside(namespace: number | undefined): Inside {
  const native = openNetworkHandle(namespace)
  let isOpen = true
  const check = () => {
    if (!isOpen) throw over()
  }
  return {
    handle: native.handle,
    async listen(address, port) {
      check()
      const server = createServer().listen({ fd: listenIn(namespace, address, port) })
      await once(server, 'listening')
      if (isOpen) return server
      // The namespace may be the next execution's by now.
      server.close()
      throw over()
    },
    connect(address, port) {
      check()
      return new Socket({ fd: connectIn(namespace, address, port), readable: true, writable: true })
    },
    close() {
      isOpen = false
      native.close()
    },
  }
}
