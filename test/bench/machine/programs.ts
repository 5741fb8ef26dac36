/**
 * The C programs of the benchmarks, compiled when needed.
 * @module
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Processes } from './processes.ts'

const sources = {
  /** The floor of the bridge. */
  floor: ['floor.c', 'epoll-server.c', 'abstract.c', 'file.c'],
  /** The floor of a bridge that checks its callers. */
  'admission-floor': ['admission-floor.c', 'epoll-server.c', 'abstract.c', 'file.c'],
  /** One load, given by arguments. */
  'load-client': ['load-client.c', 'load.c', 'abstract.c', 'file.c'],
  /** The load client as a job. */
  'job-client': ['job-client.c', 'load.c', 'abstract.c', 'file.c'],
  /** Connections that are idle or nearly so. */
  hold: ['hold.c', 'abstract.c'],
  /** Signatures per second, nothing else. */
  'secp256k1-speed': ['secp256k1-speed.c', 'secp256k1-signer.c'],
  /** The floor of the bridge, plus a signature per call. */
  'signing-server': [
    'signing-server.c',
    'secp256k1-signer.c',
    'epoll-server.c',
    'abstract.c',
    'file.c',
  ],
  /** The duration of a program's runs. */
  'time-runs': ['time-runs.c'],
  'stat-many': ['stat-many.c'],
  /** TCP connections, one after another, and their server. */
  'tcp-client': ['tcp-client.c'],
  'tcp-server': ['tcp-server.c'],
  /** Prints one line. */
  say: ['say.c'],
} as const

export type ProgramName = keyof typeof sources

export const programNames = Object.keys(sources) as ProgramName[]

const folder = fileURLToPath(new URL('../programs/', import.meta.url))
const flags = ['-O2', '-Wall', '-Wextra', '-Werror']
// Debian's static library, as in the native signer; other programs take nothing from it.
const libraries = ['-l:libsecp256k1.a']
const compileTimeoutMs = 60_000

export interface CompileOptions {
  /** The folder of the compiled program. */
  folder: string
  processes: Processes
  /** True for a program that runs inside an image. */
  isStatic?: boolean
}

/** Compiles a program; returns its path. @throws Error with the compiler's messages */
export async function compile(name: ProgramName, options: CompileOptions): Promise<string> {
  const output = join(options.folder, name)
  const files = sources[name].map((file) => join(folder, file))
  const linking = options.isStatic ? ['-static'] : []
  const command = ['cc', ...flags, ...linking, '-o', output, ...files, ...libraries]
  await options.processes.run(command, compileTimeoutMs)
  return output
}
