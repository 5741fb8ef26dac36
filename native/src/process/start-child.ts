/**
 * Starts a program as a child process, or throws the reason why not.
 *
 * Node reports most reasons (no free descriptor or process) only by an event on the next tick, when
 * nobody may be listening. Until then the child may have no streams, and its `kill()` signals our
 * own process group. So callers get a child only once it runs.
 *
 * @module
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { getSystemErrorMap } from 'node:util'

/**
 * Resolves once the program runs.
 *
 * @throws system errors that name the program; then no process or descriptor is left
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
 * Starts a program without waiting, for callers that listen for `error`: a child without a `pid`
 * emits it on the next tick, may have no streams, and must not be killed.
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

/** Puts the program and the reason, in words, into the message, which Node does not. */
function namingProgram(program: string, error: unknown): unknown {
  const { code, errno, syscall } = error as NodeJS.ErrnoException
  const [, text] = getSystemErrorMap().get(errno ?? 0) ?? []
  if (text === undefined) return error
  const message = `${program} cannot be started: ${text} (${code})`
  return Object.assign(new Error(message, { cause: error }), { code, errno, syscall })
}

// Node also opens a signal pipe, and /dev/null for ignored streams.
const descriptorsOfSpawn = 4

/**
 * Checks for free descriptors first: if Node uses up the last ones for pipes, it leaks the pipes.
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
