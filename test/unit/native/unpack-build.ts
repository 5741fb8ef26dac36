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

const folders = ['confine', 'unpack'].map((name) =>
  fileURLToPath(new URL(`../../../native/src/${name}/`, import.meta.url)),
)
const run = promisify(execFile)

/** Compiles it with further flags into `folder`. @returns its path */
export async function buildUnpacker(
  folder: string,
  name: string,
  flags: readonly string[],
  compiler = 'cc',
): Promise<string> {
  const output = join(folder, name)
  const files = folders.flatMap((from) =>
    readdirSync(from, { recursive: true, encoding: 'utf8' }).map((file) => join(from, file)),
  )
  const sources = files.filter((file) => file.endsWith('.c'))
  const always = ['-std=gnu11', '-Wall', '-Wextra', '-Werror', '-o', output]
  await run(compiler, [...flags, ...always, ...sources])
  return output
}
