/**
 * A program that answers each line on its stdin with a line of JSON: `{"value": ...}` or `{"error":
 * MESSAGE}`. Its first line answers no request and says that it is ready; it ends with its stdin.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface AskedProcess extends AsyncDisposable {
  pid: number
  /** @throws Error with the MESSAGE of an error */
  ask<Value>(line: string): Promise<Value>
  /** Kills it with SIGKILL, like a crash. */
  kill(): Promise<void>
}

/** @throws Error when it ends before it is ready */
export async function startAsked(
  [program, ...args]: readonly [string, ...string[]],
  env = process.env,
): Promise<AskedProcess> {
  const running = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], env })
  const ended = once(running, 'exit')
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]()
  if ((await lines.next()).done) throw new Error(`${args.at(-1)} did not start`)
  return {
    pid: running.pid!,
    async ask<Value>(line: string) {
      running.stdin.write(`${line}\n`)
      const { value } = await lines.next()
      const answer = JSON.parse(value as string) as { value: Value; error?: string }
      if (answer.error !== undefined) throw new Error(answer.error)
      return answer.value
    },
    async kill() {
      running.kill('SIGKILL')
      await ended
    },
    async [Symbol.asyncDispose]() {
      running.stdin.end()
      await ended
    },
  }
}
