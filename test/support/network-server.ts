/**
 * Servers in a network namespace, with a record of incoming packets.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('network-server.py', import.meta.url))

/** A packet that opens a connection: a TCP SYN, or any packet of another protocol. */
export interface Arrival {
  /** Time of arrival by the kernel's clock, seconds. */
  at: number
  from: string
  to: string
  /** IANA protocol number. */
  protocol: number
  /** Source port. */
  source: number
  port: number
  /** Bytes of the kernel's packet, which may be several on the wire. */
  length: number
  /** Bytes of data in a SYN. */
  carries: number
}

/** What a server's program received. */
export interface Heard {
  protocol: 'tcp' | 'udp' | 'unix'
  peer?: string
  port?: number
}

export interface ServerOptions {
  /** Arguments that run the program. */
  prefix: readonly string[]
  /** Address and port, for TCP and UDP. */
  echo: readonly (readonly [string, number])[]
  /** Names of abstract sockets. */
  abstract?: readonly string[]
  /** The device whose incoming packets are recorded. */
  device?: string
}

export interface NetworkServer extends AsyncDisposable {
  /** Packets to an address, oldest first. */
  arrivals(to: string): Promise<Arrival[]>
  /** Bytes of all packets to an address. */
  octets(to: string): Promise<number>
  heard(): Promise<Heard[]>
}

export async function startNetworkServer(options: ServerOptions): Promise<NetworkServer> {
  const { prefix, ...told } = options
  const command = [...prefix, 'python3', program, JSON.stringify(told)]
  const child = spawn(command[0]!, command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let turn: Promise<unknown> = lines.next()
  const exchange = async <Answer>(request: object): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value } = await lines.next()
    return JSON.parse(value as string) as Answer
  }
  const ask = async <Answer>(request: object): Promise<Answer> => {
    const before = turn
    const answer = (async () => {
      await before
      return exchange<Answer>(request)
    })()
    turn = answer
    return answer
  }
  const first = (await turn) as IteratorResult<string>
  if (first.done) throw new Error(`${program} did not start`)
  return {
    arrivals: (to) => ask({ do: 'arrivals', to }),
    octets: (to) => ask({ do: 'octets', to }),
    heard: () => ask({ do: 'heard' }),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
