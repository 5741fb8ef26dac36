/**
 * A host that records every line and answers as the test says, right or wrong.
 * @module
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { bindAbstract } from '@causeway/native'
import { test as base } from 'vitest'
import { uniqueName } from './bridge-fixture.ts'

/** A request as the client sent it. */
export interface SeenRequest {
  jsonrpc: string
  method: string
  params: unknown[]
  id: string
}

/** Answers one request; it may write in pieces, close, or do nothing. */
export type Behave = (socket: Socket, request: SeenRequest) => void

export interface RecordingBridge extends AsyncDisposable {
  name: string
  requests: SeenRequest[]
  /** Connections accepted so far. */
  connections: () => number
}

/** Sends one reply with the request's id and closes. */
export function replyWith(members: object): Behave {
  return (socket, { id }) => socket.end(`${JSON.stringify({ jsonrpc: '2.0', id, ...members })}\n`)
}

export async function startRecordingBridge(
  behave: Behave,
  name = uniqueName(),
): Promise<RecordingBridge> {
  const requests: SeenRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const onConnection = (socket: Socket) => {
    connections++
    sockets.add(socket)
    let text = ''
    socket.on('error', () => socket.destroy())
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (!text.endsWith('\n')) return
      const request = JSON.parse(text) as SeenRequest
      requests.push(request)
      behave(socket, request)
    })
  }
  const servers = (['exact', 'padded'] as const).map((form) =>
    createServer({ allowHalfOpen: true }, onConnection).listen({ fd: bindAbstract(name, form) }),
  )
  await Promise.all(servers.map((server) => once(server, 'listening')))
  return {
    name,
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
    },
  }
}

/** `test` with hosts that are stopped afterwards. */
export const test = base.extend<{
  host: (behave: Behave, name?: string) => Promise<RecordingBridge>
}>({
  host: async ({}, use) => {
    const hosts: RecordingBridge[] = []
    await use(async (behave, name) => {
      const host = await startRecordingBridge(behave, name)
      hosts.push(host)
      return host
    })
    for (const host of hosts) await host[Symbol.asyncDispose]()
  },
})
