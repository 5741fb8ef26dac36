/**
 * Builds C++ files of the tests into an addon for this Node.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const strictness = ['-Wall', '-Wextra', '-Werror', '-DNAPI_VERSION=9']
const flags = ['-O2', '-std=c++17', '-fPIC', '-shared', '-pthread', ...strictness]
const nativeFolder = fileURLToPath(new URL('../../native', import.meta.url))

/**
 * @param files absolute paths
 * @param folder below native/src, whose headers they include
 * @returns what the addon exports
 */
export function buildAddon<Exports>(
  files: readonly string[],
  folder: string,
  ...more: readonly string[]
): Exports {
  const target = mkdtempSync(join(tmpdir(), 'causeway-addon-'))
  const built = join(target, 'test.node')
  const headers = [join(nativeFolder, 'src', folder), nodeHeaders()].map((path) => `-I${path}`)
  try {
    execFileSync('g++', [...flags, ...more, ...headers, ...files, '-o', built])
    return createRequire(import.meta.url)(built) as Exports
  } finally {
    rmSync(target, { recursive: true })
  }
}

/** The Node headers that the native build used. */
function nodeHeaders(): string {
  const config = readFileSync(join(nativeFolder, 'build/config.gypi'), 'utf8')
  const folder = /"nodedir": "([^"]+)"/.exec(config)?.[1]
  if (folder) return join(folder, 'include/node')
  throw new Error('native/build/config.gypi names no nodedir: run `npm run build:native`')
}
