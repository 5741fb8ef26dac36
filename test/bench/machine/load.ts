/**
 * Bursts of calls on a server, and their cost to it.
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../servers/server.ts'
import { cpuTimeNs } from './process-figures.ts'
import type { Processes } from './processes.ts'

export interface Burst {
  /** Concurrent clients, which open a new connection for every call. */
  clients: number
  /** The burst ends with the time or with the calls, whichever is first. */
  seconds: number
  maxCalls?: number
}

/** The output of the load client. */
export interface LoadFigures {
  calls: number
  /** Calls that were refused, wrong, cut off or unanswered. */
  errors: number
  seconds: number
  p50Us: number
  p99Us: number
}

export interface BurstFigures extends LoadFigures {
  callsPerSecond: number
  /** CPU time of the server's process per call. */
  cpuUs: number
}

/** Puts load on a server. @throws Error when no call had a correct reply */
export type Load = (server: Server, burst: Burst) => Promise<BurstFigures>

export interface LoadOptions {
  /** The load client, with its prefix. */
  command: readonly string[]
  /** Folder for the request and the expected reply. */
  folder: string
  processes: Processes
  /**
   * Clients that never sleep. Waking a client costs the server some µs of its core, which a floor
   * that keeps its clients busy does not pay; so only this compares a slower server fairly.
   */
  spins?: boolean
}

/** Time for a client to end after its burst; it waits five seconds for late replies itself. */
export const patienceMs = 30_000
export const unlimitedCalls = 1_000_000_000

export function createLoad({ command, folder, processes, spins }: LoadOptions): Load {
  return async (server, { clients, seconds, maxCalls = unlimitedCalls }) => {
    const files = writeExchange(folder, server)
    const numbers = [server.exchanges ?? 1, clients, seconds, maxCalls].map(String)
    const way = spins ? 'spin' : 'sleep'
    const args = [...command, server.socket, ...files, ...numbers, way]
    return await measureCpu(server, async () => {
      const line = await processes.run(args, seconds * 1000 + patienceMs)
      return JSON.parse(line) as LoadFigures
    })
  }
}

function writeExchange(folder: string, { name, request, reply }: Server): [string, string] {
  const files: [string, string] = [join(folder, `${name}.request`), join(folder, `${name}.reply`)]
  writeFileSync(files[0], request)
  writeFileSync(files[1], reply)
  return files
}

// Real-time tasks get 95 % of each second; the rest must fall between bursts, not into one.
const breathMs = 60

/** Adds the server's CPU time to a burst's figures. */
export async function measureCpu(
  { name, pid }: Pick<Server, 'name' | 'pid'>,
  burst: () => Promise<LoadFigures>,
): Promise<BurstFigures> {
  await pause(breathMs)
  const before = cpuTimeNs(pid)
  const figures = await burst()
  if (!existsSync(`/proc/${pid}/task`)) throw new Error(`${name} ended under load`)
  const spentNs = cpuTimeNs(pid) - before
  const { calls, errors, seconds } = figures
  if (calls === 0) throw new Error(`${name}: no call was answered rightly, ${errors} were wrong`)
  return { ...figures, callsPerSecond: calls / seconds, cpuUs: spentNs / 1000 / calls }
}
