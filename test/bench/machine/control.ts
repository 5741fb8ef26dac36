/**
 * The control connection to a load client that runs as a job.
 * @module
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fullLengthName } from '../servers/server.ts'
import { patienceMs, unlimitedCalls, type Burst, type LoadFigures } from './load.ts'

export interface Control {
  /** Name of the abstract socket that the job connects to. */
  socket: string
  /** Makes the job call a socket; `bridge` is its own. @throws Error when it is gone or late */
  burst(socket: string, burst: Burst): Promise<LoadFigures>
  close: () => void
}

export async function openControl(): Promise<Control> {
  const socket = fullLengthName()
  const server = createServer()
  const job = once(server, 'connection').then(([connection]) => toJob(connection as Socket))
  server.listen({ path: `\0${socket}` })
  await once(server, 'listening')
  return {
    socket,
    burst: async (name, burst) => (await job).burst(name, burst),
    close() {
      server.close()
      void job.then(({ hangUp }) => hangUp())
    },
  }
}

function toJob(connection: Socket) {
  const replies = createInterface({ input: connection })[Symbol.asyncIterator]()
  const hangUp = () => connection.destroy()
  return {
    async burst(name: string, { clients, seconds, maxCalls = unlimitedCalls }: Burst) {
      const timer = setTimeout(hangUp, seconds * 1000 + patienceMs)
      connection.write(`${name} ${clients} ${seconds} ${maxCalls}\n`)
      const { value, done } = await replies.next()
      clearTimeout(timer)
      if (done) throw new Error('the job is gone, or did not answer in time')
      return JSON.parse(value) as LoadFigures
    },
    hangUp,
  }
}
