/**
 * `bridge-unpack` built in other ways than the product's.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const sources = fileURLToPath(new URL('../../../native/src/unpack/', import.meta.url))
const run = promisify(execFile)

/** Compiles it with further flags into `folder`. @returns its path */
export async function buildUnpacker(
  folder: string,
  name: string,
  flags: readonly string[],
  compiler = 'cc',
): Promise<string> {
  const output = join(folder, name)
  const files = readdirSync(sources).filter((file) => file.endsWith('.c'))
  const always = ['-std=gnu11', '-Wall', '-Wextra', '-Werror', '-o', output]
  await run(compiler, [...flags, ...always, ...files.map((file) => join(sources, file))])
  return output
}
