/** Finds this host's PRoot, and builds its command line. @module */
import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../../errors/start-error.ts'

const run = promisify(execFile)

/** What the installed PRoot can do. */
export interface Proot {
  /** Absolute path. */
  program: string
  version: string
  /** Whether PRoot was compiled with its own seccomp filter. */
  isAccelerated: boolean
  /** Whether PRoot does not translate `statx`, which would show the host's files. */
  missesStatx: boolean
}

// 5.4.0 is the first Debian version that translates statx and faccessat2.
const firstWithStatx = [5, 4]

/**
 * Finds a PRoot, and asks it for its version.
 * @param name a name on PATH or a path
 * @throws StartError SANDBOX_UNAVAILABLE when there is none
 */
export async function detectProot(name: string): Promise<Proot> {
  const program = await findProgram(name)
  if (program === undefined) {
    throw new StartError(
      'SANDBOX_UNAVAILABLE',
      `PRoot: expected a program ${JSON.stringify(name)}, found none; on Debian: apt-get install proot`,
    )
  }
  const { stdout } = await run(program, ['--version'], { env: {} })
  return parseVersion(program, stdout)
}

/** Finds a program by its name on PATH, or by its path. */
export async function findProgram(name: string): Promise<string | undefined> {
  const folders = name.includes('/') ? ['.'] : (process.env['PATH'] ?? '').split(delimiter)
  for (const folder of folders) {
    const path = resolve(folder, name)
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

function parseVersion(program: string, text: string): Proot {
  const version = /(?:^|\s)v?(\d+\.\d+(?:\.\d+)?)/m.exec(text)?.[1] ?? '0.0'
  const parts = version.split('.').map(Number)
  const difference = firstWithStatx.map((part, index) => (parts[index] ?? 0) - part)
  return {
    program,
    version,
    isAccelerated: /seccomp_filter = yes/.test(text),
    missesStatx: (difference.find((part) => part !== 0) ?? 0) < 0,
  }
}

/** What the guest sees and where it starts. Paths are those that PRoot itself sees. */
export interface GuestView {
  root: string
  /** Guest path of the working directory. */
  workFolder: string
  /** Path → guest path, over the root. */
  binds: readonly (readonly [path: string, guest: string])[]
}

/** Arguments before the guest's command. `-v -1` keeps its messages out of the job's stderr. */
export function prootArguments({ root, workFolder, binds }: GuestView): string[] {
  const bound = binds.flatMap(([path, guest]) => ['-b', path === guest ? path : `${path}:${guest}`])
  return ['-v', '-1', '-0', '-r', root, '-w', workFolder, ...bound]
}

/** PRoot's own environment; the job's must never be in it (LD_PRELOAD would run code outside). */
export function prootEnvironment({ isAccelerated }: Proot): Record<string, string> {
  // On a kernel after 4.8, PRoot 5.4 without its filter believes it has one and translates nothing.
  return isAccelerated ? {} : { PROOT_NO_SECCOMP: '1' }
}

/** Absolute paths of a program's libraries and their loader; none for a static program. */
export async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program], { env: { PATH: '/usr/bin:/bin' } }).catch(
    () => ({ stdout: '' }), // "not a dynamic executable"
  )
  const paths = stdout.split('\n').map((line) => /(?:=> |^\s*)(\/\S+) \(/.exec(line)?.[1])
  return paths.filter((path) => path !== undefined)
}
