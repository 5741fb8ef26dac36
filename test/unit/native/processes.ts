/**
 * Looks processes up by a token in their command line.
 *
 * @module
 */
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Pids of living processes that carry the token as an argument. */
export function withToken(token: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(token))
    .map(Number)
}

/** The arguments; none for a zombie or a process that has gone meanwhile. */
function commandLine(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** Waits until exactly so many processes carry the token, and answers them. */
export async function untilCount(token: string, count: number, limitMs = 5000): Promise<number[]> {
  const deadline = Date.now() + limitMs
  for (;;) {
    const found = withToken(token)
    if (found.length === count) return found
    if (Date.now() > deadline) throw new Error(`${found.length} processes instead of ${count}`)
    await delay(5)
  }
}
