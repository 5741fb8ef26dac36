/**
 * How much a job may write.
 *
 * Hard: its layer lies in a file system of that size, so that the kernel says "no space left".
 * Else what it wrote is counted from time to time, and a job that has too much is ended.
 * @module
 */
import { execFile } from 'node:child_process'
import { access, open, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const makeFileSystem = '/usr/sbin/mkfs.ext4'
const loopControl = '/dev/loop-control'
/** Whether this host can give a job a file system of its own: root, loop devices, e2fsprogs. */
export async function canLimitStorage(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false
  const found = await Promise.allSettled([access(makeFileSystem), access(loopControl)])
  return found.every(({ status }) => status === 'fulfilled')
}

// Half as many as usual: making their tables takes most of the time.
const bytesPerInode = 32 * 1024
const leastInodes = 64

/** Makes a sparse file with an empty file system; one that is there already is kept. */
export async function makeStorageFile(path: string, bytes: number): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) return
  // Its name says that it is whole; a daemon that was killed half-way begins again.
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  try {
    await makeSparse(partial, bytes)
    // No journal: it dies with the execution. No reserve: the job is not root on it. It never grows.
    const features = '^has_journal,^resize_inode'
    const inodes = Math.max(leastInodes, Math.ceil(bytes / bytesPerInode))
    const options = [
      '-q',
      '-F',
      '-m',
      '0',
      '-O',
      features,
      '-N',
      `${inodes}`,
      '-E',
      'nodiscard',
      partial,
    ]
    await run(makeFileSystem, options, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function makeSparse(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.truncate(bytes)
  } finally {
    await file.close()
  }
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
