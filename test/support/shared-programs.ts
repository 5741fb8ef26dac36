/**
 * Runs programs in a lab, and reads their output.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { run } from './causeway.ts'
import { answersOf, type Answer } from './network-probe.ts'

/** Runs the probe with a prefix; returns its answer. */
export async function runProbe<One = Answer>(
  prefix: readonly string[],
  program: string,
  words: readonly (string | number)[],
): Promise<One> {
  const command = [...prefix, program, 'it', ...words.map(String)]
  const { code, stdout, stderr } = await run(command[0]!, command.slice(1))
  if (code !== 0) throw new Error(`probe ${words.join(' ')}: ended with ${code}: ${stderr}`)
  return answersOf(stdout.trim().split('\n')).get('it')![0] as One
}

export interface StartedServer extends AsyncDisposable {
  heard: readonly string[]
}

/** Runs a server until disposed, once it has printed a line; records what it prints then. */
export async function startServer(command: readonly string[]): Promise<StartedServer> {
  const server = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const heard: string[] = []
  const lines = createInterface({ input: server.stdout })
  await Promise.race([once(lines, 'line'), ended])
  if (server.exitCode !== null)
    throw new Error(`${command.join(' ')}: ended with ${server.exitCode}`)
  lines.on('line', (line) => heard.push(line))
  return {
    heard,
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL')
      await ended
    },
  }
}
