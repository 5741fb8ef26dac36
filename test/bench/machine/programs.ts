/**
 * The C programs of the benchmarks, compiled on the spot.
 * @module
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Processes } from './processes.ts'

const sources = {
  /** The floor of the bridge. */
  floor: ['floor.c', 'epoll-server.c', 'abstract.c', 'file.c'],
  /** The floor of a bridge that checks who calls. */
  'admission-floor': ['admission-floor.c', 'epoll-server.c', 'abstract.c', 'file.c'],
  /** One load, told by its arguments. */
  'load-client': ['load-client.c', 'load.c', 'abstract.c', 'file.c'],
  /** The same as a job. */
  'job-client': ['job-client.c', 'load.c', 'abstract.c', 'file.c'],
  /** Connections that say nothing, or next to nothing. */
  hold: ['hold.c', 'abstract.c'],
  /** Signatures a second, nothing else. */
  'secp256k1-speed': ['secp256k1-speed.c', 'secp256k1-signer.c'],
  /** The floor of the bridge, and a signature for each call. */
  'signing-server': [
    'signing-server.c',
    'secp256k1-signer.c',
    'epoll-server.c',
    'abstract.c',
    'file.c',
  ],
  /** How long runs of another program take. */
  'time-runs': ['time-runs.c'],
  'stat-many': ['stat-many.c'],
  /** TCP connections, one after another, and who answers them. */
  'tcp-client': ['tcp-client.c'],
  'tcp-server': ['tcp-server.c'],
  /** A line, and no more. */
  say: ['say.c'],
} as const

export type ProgramName = keyof typeof sources

export const programNames = Object.keys(sources) as ProgramName[]

const folder = fileURLToPath(new URL('../programs/', import.meta.url))
const flags = ['-O2', '-Wall', '-Wextra', '-Werror']
// Debian's static one, as in the native signer; who does not need it takes nothing of it.
const libraries = ['-l:libsecp256k1.a']
const compileTimeoutMs = 60_000

export interface CompileOptions {
  /** Where the program goes. */
  folder: string
  processes: Processes
  /** For a program that is to run inside an image. */
  isStatic?: boolean
}

/** Compiles a program and gives its path. @throws Error with what the compiler said */
export async function compile(name: ProgramName, options: CompileOptions): Promise<string> {
  const output = join(options.folder, name)
  const files = sources[name].map((file) => join(folder, file))
  const linking = options.isStatic ? ['-static'] : []
  const command = ['cc', ...flags, ...linking, '-o', output, ...files, ...libraries]
  await options.processes.run(command, compileTimeoutMs)
  return output
}
