/**
 * The C programs of this folder, compiled once per test file.
 * @module
 */
import { chmod } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledFiles } from '../support/compiled.ts'
import { times } from '../support/effort.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const raceMs = times({ short: 500, long: 4000 })
const flags = ['-static', '-pthread', '-Wall', '-Wextra', '-Werror', `-DRACE_MS=${raceMs}`]

/** The escape probe. */
export function compileProbe(folder: string, compiler?: string): Promise<string> {
  const sources = readdirSync(join(here, 'probe')).filter((name) => name.endsWith('.c'))
  return compiled(
    folder,
    sources.map((name) => join(here, 'probe', name)),
    compiler,
  )
}

/** The host's process that the probe tries to reach. */
export function compileHostProcess(folder: string): Promise<string> {
  return compiled(folder, [join(here, 'host-process.c')])
}

async function compiled(
  folder: string,
  sources: readonly string[],
  compiler?: string,
): Promise<string> {
  const program = await compiledFiles(folder, sources, { flags, ...(compiler && { compiler }) })
  await chmod(program, 0o755)
  return program
}
