/**
 * Compiles small C programs for tests.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { run } from './causeway.ts'

export interface CompileOptions {
  /** Default `gcc`. */
  compiler?: string
  flags?: readonly string[]
}

/** Compiles C text; returns the program's path. @throws Error with the compiler's messages */
export async function compiled(
  folder: string,
  source: string,
  options: CompileOptions = {},
): Promise<string> {
  return compile(folder, ['-x', 'c', '-'], { ...options, input: source })
}

/** Compiles several files in the same way. */
export async function compiledFiles(
  folder: string,
  files: readonly string[],
  options: CompileOptions = {},
): Promise<string> {
  return compile(folder, files, options)
}

async function compile(
  folder: string,
  inputs: readonly string[],
  { compiler = 'gcc', flags = [], input = '' }: CompileOptions & { input?: string },
): Promise<string> {
  const program = join(folder, `program-${randomUUID()}`)
  const args = ['-O1', '-std=gnu11', '-o', program, ...flags, ...inputs]
  const { code, stderr } = await run(compiler, args, { input })
  if (code !== 0) throw new Error(`${compiler} failed:\n${stderr}`)
  return program
}
