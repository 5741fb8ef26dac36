/**
 * Starts programs in a process without free descriptors, or without permission for more processes.
 * @module
 */
import { fileURLToPath } from 'node:url'
import { run } from './causeway.ts'
import type { StarvedAction } from './starved-actions.ts'

/** The result of one try. */
export interface StarvedTry {
  /** Absent on success. */
  message?: string
  /** How many descriptors it left open. */
  leaked: number
}

const child = fileURLToPath(new URL('starved-child.ts', import.meta.url))
/** Milliseconds, far more than a try needs; then it is killed. */
export const patience = 20_000
const limits = { descriptors: '--nofile=128:128', processes: '--nproc=1:1' }

/**
 * Tries an action: without processes once (only root can make a user who has none), without
 * descriptors with 0, 1, 2, ... of them free, until it succeeds.
 * @throws Error when that ends the process
 */
export async function starve(
  action: StarvedAction,
  lacking: keyof typeof limits,
  folder: string,
): Promise<StarvedTry[]> {
  const node = [process.execPath, '--conditions=@causeway/source', '--import', 'tsx']
  const args = [limits[lacking], ...node, child, action, folder, lacking]
  // Its own process group: a signal to "no process" reaches the group.
  const { code, signal, stdout, stderr } = await run('prlimit', args, {
    detached: true,
    timeout: patience,
    killSignal: 'SIGKILL',
  })
  if (code !== 0) throw new Error(`the process ended by ${signal ?? code}:\n${stderr}`)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StarvedTry)
}
