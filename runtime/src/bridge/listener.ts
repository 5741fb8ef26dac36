/**
 * Bytes → line over node:net on listening descriptors of the native addon. The dispatch above it
 * does not know which transport it sits on.
 * @module
 */
import { createServer, type Server, type Socket } from 'node:net'
import { bindAbstract, closeFd, peerCredentials } from '@causeway/native'
import type { Logger } from 'pino'
import { StartError } from '../start-error.ts'
import type { Admit } from './admission.ts'
import { serveConnection, turnAway } from './connection.ts'
import type { Answer } from './dispatch.ts'
import { errorReply, RpcError } from './errors.ts'
import type { BridgeLimits } from './limits.ts'
import type { CallContext } from './methods.ts'
import { createRefusalLog } from './refusal-log.ts'

export interface ListenerOptions {
  /** Name of the abstract socket without the leading NUL, 1 to 107 bytes. */
  name: string
  admit: Admit
  answer: Answer
  limits: BridgeLimits
  log: Logger
}

// Beyond it connect(2) fails with EAGAIN; the kernel cuts it to net.core.somaxconn.
const backlog = 4096

/** A listening bridge. */
export interface Listener {
  /** Stops listening and closes every connection. */
  stop(): Promise<void>
}

/**
 * Listens on the exact name and on the name padded with NUL bytes to 108: Node 20 clients reach
 * only the padded one, everything else only the exact one.
 * @throws StartError SOCKET_UNAVAILABLE when the name is taken or too long; nothing listens then
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const fds = bindOrExplain(options.name)
  const accept = createAccept(options)
  const servers = await Promise.all(fds.map((fd) => serveFd(fd, accept.onConnection)))
  return {
    async stop() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      accept.closeAll()
      await Promise.all(closed)
    },
  }
}

function bindOrExplain(name: string): number[] {
  try {
    return bindBoth(name)
  } catch (cause) {
    const message = `abstract socket ${JSON.stringify(name)}: ${(cause as Error).message}`
    throw new StartError('SOCKET_UNAVAILABLE', message, { cause })
  }
}

function bindBoth(name: string): number[] {
  const exact = bindAbstract(name, 'exact')
  // A name of 107 bytes fills the address: both forms are one.
  if (Buffer.byteLength(name) === 107) return [exact]
  try {
    return [exact, bindAbstract(name, 'padded')]
  } catch (error) {
    closeFd(exact)
    throw error
  }
}

function serveFd(fd: number, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, onConnection)
    server.on('error', reject)
    // Node calls listen(2) again: without a backlog here it would shrink to Node's default of 511.
    server.listen({ fd }, backlog, () => resolve(server))
  })
}

function createAccept({ admit, answer, limits, log }: ListenerOptions) {
  // Apart, so that strangers take no connection away from the job.
  const served = new Set<Socket>()
  const refused = new Set<Socket>()
  const full = busy('open connections', limits.maxConnections)
  const noLingering = { ...limits, drainTimeoutMs: 0 }
  const logRefusal = createRefusalLog(log)
  let inFlight = 0

  const respond = async (line: Buffer, peer: CallContext['peer']) => {
    if (inFlight >= limits.maxInFlight)
      return errorReply(busy('calls in flight', limits.maxInFlight))
    inFlight++
    try {
      return await answer(line, peer)
    } catch (err) {
      log.error({ err }, 'a call could not be answered')
      return errorReply(new RpcError('INTERNAL', 'internal error'))
    } finally {
      inFlight--
    }
  }

  const onConnection = (socket: Socket) => {
    // A peer that resets the connection ends that connection only.
    socket.on('error', () => socket.destroy())
    const peer = credentialsOf(socket)
    if (!peer) return void socket.destroy()
    const refusal = admit(peer) ?? (served.size >= limits.maxConnections ? full : undefined)
    keep(refusal ? refused : served, socket)
    if (!refusal) return serveConnection(socket, (line) => respond(line, peer), limits)
    logRefusal(peer, refusal)
    // Strangers could else use up descriptors by not going away.
    const mayLinger = refused.size <= limits.maxConnections
    turnAway(socket, errorReply(refusal), mayLinger ? limits : noLingering)
  }

  const closeAll = () => [...served, ...refused].forEach((socket) => socket.destroy())
  return { onConnection, closeAll }
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
}

/** The peer as the kernel knew it at connect; undefined when it is gone already. */
function credentialsOf(socket: Socket): CallContext['peer'] | undefined {
  // node:net has no public way to the descriptor of an accepted socket.
  const { _handle: handle } = socket as Socket & { _handle?: { fd: number } | null }
  return handle && handle.fd >= 0 ? peerCredentials(handle.fd) : undefined
}

function busy(what: string, limit: number): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `too many ${what} on this bridge (limit ${limit})`, {
    retryAfterMs: 50,
  })
}
