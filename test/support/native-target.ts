/**
 * Compiles the native programs in other ways, from the sources and flags in binding.gyp.
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledFiles } from './compiled.ts'

const native = fileURLToPath(new URL('../../native', import.meta.url))

interface Target {
  target_name: string
  sources: string[]
  cflags: string[]
  ldflags: string[]
}

/** A target of binding.gyp, which is JSON with comments. */
function target(name: string): Target {
  const text = readFileSync(join(native, 'binding.gyp'), 'utf8').replaceAll(/^\s*#.*$/gm, '')
  const { targets } = JSON.parse(text) as { targets: Target[] }
  const found = targets.find((each) => each.target_name === name)
  if (!found) throw new Error(`binding.gyp has no target ${name}`)
  return found
}

export interface TargetOptions {
  compiler?: string
  /** Name of a source, such as `shield.c` → the file that replaces it. */
  instead?: Readonly<Record<string, string>>
}

/** Absolute path of a source of a target. */
export function sourceOf(name: string, source: string): string {
  const found = target(name).sources.find((path) => path.endsWith(`/${source}`))
  if (found === undefined) throw new Error(`${name} has no source ${source}`)
  return join(native, found)
}

/** Compiles a target into the folder; a warning is an error. */
export function compileTarget(
  folder: string,
  name: string,
  { compiler, instead = {} }: TargetOptions = {},
): Promise<string> {
  const { sources, cflags, ldflags } = target(name)
  const flags = [
    '-Wall',
    '-Wextra',
    '-Werror',
    ...cflags.filter((flag) => !flag.startsWith('<@')),
    ...ldflags,
  ]
  const paths = sources.map(
    (source) => instead[source.slice(source.lastIndexOf('/') + 1)] ?? join(native, source),
  )
  return compiledFiles(folder, paths, { flags, ...(compiler !== undefined && { compiler }) })
}
