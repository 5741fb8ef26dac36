/**
 * Limits how much a job may write.
 *
 * Where possible, its layer lies in a file system of that size, so that the kernel answers ENOSPC.
 * Else the daemon counts what the job wrote from time to time, and ends a job that has too much.
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

/**
 * Bytes on disk below a folder of ours. They include folders that are closed to this process,
 * except for an ordinary user who may make no namespaces.
 */
export async function usedBytes(folder: string): Promise<number> {
  const count = ['du', '-s', '-x', '--block-size=1', '--', folder]
  if (process.getuid?.() === 0) return (await numberFrom(count)) ?? 0
  // As root of a user namespace, an ordinary user can read every folder.
  const inNamespace = ['unshare', '--user', '--map-root-user', ...count]
  return (await numberFrom(inNamespace)) ?? (await numberFrom(count)) ?? 0
}

/** The number that a program prints first, even if it then fails, as `du` when files vanish. */
async function numberFrom([program = '', ...args]: readonly string[]): Promise<number | undefined> {
  const { stdout } = await run(program, args, {
    env: { PATH: '/usr/bin:/bin' },
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }))
  const number = Number.parseInt(stdout, 10)
  return Number.isNaN(number) ? undefined : number
}
