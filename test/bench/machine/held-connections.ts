/**
 * Connections that a program keeps open.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../servers/server.ts'
import { openDescriptors } from './process-figures.ts'
import type { Processes, Running } from './processes.ts'

export interface HoldOptions {
  processes: Processes
  /** The program `hold`. */
  program: string
  count: number
  /** Each connection sends a byte in this time; 0 for none. */
  byteEveryMs: number
}

/** Resolves when the server has accepted them all; stop it to close them. */
export async function holdConnections(
  { socket, pid }: Server,
  { processes, program, count, byteEveryMs }: HoldOptions,
): Promise<Running> {
  const before = openDescriptors(pid)
  const holder = await processes.start([program, socket, String(count), String(byteEveryMs)])
  await descriptorsReach(pid, (open) => open >= before + count)
  return holder
}

const patienceMs = 20_000
const stepMs = 20

/** @returns the number at the end, even if it did not reach the expected one in time */
export async function descriptorsReach(
  pid: number,
  isReached: (open: number) => boolean,
): Promise<number> {
  const givenUp = performance.now() + patienceMs
  while (!isReached(openDescriptors(pid)) && performance.now() < givenUp) await pause(stepMs)
  return openDescriptors(pid)
}
