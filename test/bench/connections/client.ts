/**
 * Measures the cost of connections: the client's and the server's CPU time.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'
import { cpuTimeNs } from '../machine/process-figures.ts'
import type { Processes } from '../machine/processes.ts'

export interface ConnectionFigures {
  perSecond: number
  /** CPU time of client and server per connection, including the kernel's work for them. */
  cpuUs: number
  connections: number
}

export interface Burst {
  /** Arguments before the client, which say where it runs. */
  prefix: readonly string[]
  address: string
  seconds: number
  maxConnections?: number
}

export type Connect = (burst: Burst) => Promise<ConnectionFigures>

export interface ClientOptions {
  /** The program `tcp-client`. */
  program: string
  /** The server's port and process. */
  port: number
  serverPid: number
  /** Arguments before all others: they pin client and server to one core. */
  placement: readonly string[]
  processes: Processes
}

// Real-time tasks get 95 % of each second; the rest must fall between bursts, not into one.
const breathMs = 60
const unlimited = 1_000_000_000
const patienceMs = 60_000

export function createClient(options: ClientOptions): Connect {
  const { program, port, serverPid, placement, processes } = options
  return async ({ prefix, address, seconds, maxConnections = unlimited }) => {
    await pause(breathMs)
    const before = cpuTimeNs(serverPid)
    const numbers = [port, seconds, maxConnections].map(String)
    const command = [...placement, ...prefix, program, address, ...numbers]
    const line = await processes.run(command, seconds * 1000 + patienceMs)
    return figuresOf(JSON.parse(line) as Printed, cpuTimeNs(serverPid) - before)
  }
}

interface Printed {
  connections: number
  seconds: number
  cpuUs: number
}

function figuresOf(client: Printed, serverNs: number): ConnectionFigures {
  const { connections, seconds } = client
  const cpuUs = (client.cpuUs + serverNs / 1000) / connections
  return { connections, perSecond: connections / seconds, cpuUs }
}
