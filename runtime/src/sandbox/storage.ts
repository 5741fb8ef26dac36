/**
 * How much a job may write.
 *
 * Hard: its layer lies in a file system of that size, so that the kernel says "no space left".
 * Else what it wrote is counted from time to time, and a job that has too much is ended.
 * @module
 */
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { promisify } from 'node:util'
import { canMakeUnnamed, makeFileSystem } from './storage-files.ts'

const run = promisify(execFile)

const loopControl = '/dev/loop-control'
/**
 * Whether this host can give a job a file system of its own: root, loop devices, e2fsprogs.
 * @param folder where jobs have their folders
 */
export async function canLimitStorage(folder: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return false
  const found = await Promise.allSettled([access(makeFileSystem), access(loopControl)])
  return found.every(({ status }) => status === 'fulfilled') && canMakeUnnamed(folder)
}

/** Bytes on disk below a folder of ours, also in folders that are closed to ourselves. */
export async function usedBytes(folder: string): Promise<number> {
  const count = ['du', '-s', '-x', '--block-size=1', '--', folder]
  // An ordinary user may look everywhere as root of a user namespace.
  const [program = '', ...args] =
    process.getuid?.() === 0 ? count : ['unshare', '--user', '--map-root-user', ...count]
  const { stdout } = await run(program, args, {
    env: { PATH: '/usr/bin:/bin' },
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' })) // files that vanish
  return Number.parseInt(stdout, 10) || 0
}
