/**
 * `bridge-unpack` and `bridge-launch` built in other ways than the product's.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Compiles it with further flags into `folder`. @returns its path */
export const buildUnpacker = builder('unpack')

/** The same for `bridge-launch`. */
export const buildLauncher = builder('launch')

/** Compiles the sources of a program, and of what the two have in common. */
function builder(part: string) {
  return async (
    folder: string,
    name: string,
    flags: readonly string[],
    compiler = 'cc',
  ): Promise<string> => {
    const output = join(folder, name)
    const files = ['confine', part].flatMap((from) => {
      const path = fileURLToPath(new URL(`../../../native/src/${from}/`, import.meta.url))
      return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) =>
        join(path, file),
      )
    })
    const sources = files.filter((file) => file.endsWith('.c'))
    const always = ['-std=gnu11', '-Wall', '-Wextra', '-Werror', '-o', output]
    await run(compiler, [...flags, ...always, ...sources])
    return output
  }
}
