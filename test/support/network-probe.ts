/**
 * The program by which a job uses its network.
 * @module
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledFiles } from './compiled.ts'

const folder = fileURLToPath(new URL('network-probe', import.meta.url))
const strict = ['-static', '-Wall', '-Wextra', '-Werror']

/** Linked statically: with musl, or with the host's C library if musl is missing. */
export async function compileNetworkProbe(target: string): Promise<Buffer> {
  const sources = readdirSync(folder).filter((name) => name.endsWith('.c'))
  const files = sources.map((name) => join(folder, name))
  return readFileSync(await compiledFiles(target, files, compiler()))
}

function compiler(): { compiler: string; flags: string[] } {
  if (spawnSync('musl-gcc', ['--version']).status !== 0) return { compiler: 'gcc', flags: strict }
  const machine = execFileSync('gcc', ['-print-multiarch'], { encoding: 'utf8' }).trim()
  const headers = ['/usr/include', `/usr/include/${machine}`].flatMap((path) => [
    '-idirafter',
    path,
  ])
  return { compiler: 'musl-gcc', flags: [...strict, ...headers] }
}

/** The JSON that `probe` prints for a command. */
export type Answer = Readonly<Record<string, string | number | boolean>>

/** The answer to a burst. */
export interface BurstAnswer {
  opened: number
  waiting: number
  refused: number
  error: string
  lastMs: number
}

/** The answer to one try. */
export interface ReachAnswer {
  answered: boolean
  error: string
}

/** A job's lines by their labels. */
export function answersOf(lines: readonly string[]): Map<string, Answer[]> {
  const answers = new Map<string, Answer[]>()
  for (const line of lines) {
    const space = line.indexOf(' ')
    const label = line.slice(0, space)
    const answer = JSON.parse(line.slice(space + 1)) as Answer
    answers.set(label, [...(answers.get(label) ?? []), answer])
  }
  return answers
}
