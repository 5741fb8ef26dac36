/**
 * Starts a program as a child process, or tells why there is none.
 *
 * Node tells most reasons (no descriptor, no process to be had) only by an event on the next tick,
 * which nobody may be listening for. Until then the child may have no streams, and its `kill()`
 * signals our own process group: so nobody gets it before it runs.
 *
 * @module
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { getSystemErrorMap } from 'node:util'

/**
 * Resolves once it runs.
 *
 * @throws system errors, which name the program; nothing of it is left then
 */
export async function startChild(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const child = spawnChild(program, args, options)
  try {
    await once(child, 'spawn')
    return child
  } catch (error) {
    throw namingProgram(program, error)
  }
}

/**
 * The same at once, for who listens: a child without a `pid` tells why by `error` on the next tick,
 * may have no streams, and must not be killed.
 *
 * @throws system errors, which name the program
 */
export function spawnChild(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  try {
    checkDescriptors(options.stdio)
    return spawn(program, args, options)
  } catch (error) {
    throw namingProgram(program, error)
  }
}

/** Node does that only in what it tells later, and never in words. */
function namingProgram(program: string, error: unknown): unknown {
  const { code, errno, syscall } = error as NodeJS.ErrnoException
  const [, text] = getSystemErrorMap().get(errno ?? 0) ?? []
  if (text === undefined) return error
  const message = `${program} cannot be started: ${text} (${code})`
  return Object.assign(new Error(message, { cause: error }), { code, errno, syscall })
}

// A signal pipe, and /dev/null for what is ignored.
const descriptorsOfSpawn = 4

/**
 * Node would keep those of the pipes open for ever when they were the last ones.
 *
 * @throws system error EMFILE or ENFILE
 */
function checkDescriptors(stdio: SpawnOptions['stdio']): void {
  const pipes = [stdio].flat().filter((one) => one === 'pipe').length
  const held: number[] = []
  try {
    for (let left = 2 * pipes + descriptorsOfSpawn; left > 0; left--) {
      held.push(openSync('/dev/null', 'r'))
    }
  } finally {
    for (const fd of held) closeSync(fd)
  }
}
