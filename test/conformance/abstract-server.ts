/**
 * A server on its own abstract name.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { bindAbstract } from '@causeway/native'
import type { AddressForm } from './kit/src/address.ts'

export interface AbstractServer extends AsyncDisposable {
  /** Without the leading NUL. */
  name: string
}

/** Takes a new client, from which nothing has been read yet: `resume` it. */
export type Meet = (client: Socket) => void

const backlog = 4096
const bothForms: readonly AddressForm[] = ['exact', 'padded']

/** Serves until disposed, which ends all connections. */
export async function serveAbstract(meet: Meet, forms = bothForms): Promise<AbstractServer> {
  const name = `causeway-broken-${randomUUID()}`
  const clients = new Set<Socket>()
  const onConnection = (client: Socket) => {
    clients.add(client)
    client.on('close', () => clients.delete(client)).on('error', () => client.destroy())
    meet(client)
  }
  const fds = forms.map((form) => bindAbstract(name, form))
  const servers = await Promise.all(fds.map((fd) => listen(fd, onConnection)))
  return {
    name,
    async [Symbol.asyncDispose]() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      clients.forEach((client) => client.destroy())
      await Promise.all(closed)
    },
  }
}

function listen(fd: number, onConnection: Meet): Promise<Server> {
  const options = { allowHalfOpen: true, pauseOnConnect: true }
  return new Promise((resolve) => {
    const server = createServer(options, onConnection)
    server.listen({ fd }, backlog, () => resolve(server))
  })
}
