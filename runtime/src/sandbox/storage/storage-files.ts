/**
 * Makes file system images for what jobs write.
 *
 * An image has no name before it is complete, so a killed daemon leaves none behind.
 * @module
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { linkFd, startChild } from '@causeway/native/process'
import { orUndo } from '@causeway/service/failure'
import { isFull } from '../../errors/host-fault.ts'

export const makeFileSystem = '/usr/sbin/mkfs.ext4'

/** Makes a sparse file with an empty file system; an existing file stays. */
export async function makeStorageFile(path: string, bytes: number): Promise<void> {
  if (existsSync(path)) return
  await using file = await makeUnnamedStorage(dirname(path), bytes)
  linkFd(file.fd, path)
}

/** Whether files without a name can be made in a folder and named later. */
export async function canMakeUnnamed(folder: string): Promise<boolean> {
  try {
    await (await openUnnamed(folder)).close()
    return true
  } catch (error) {
    // Once there is room, they can.
    return isFull(error)
  }
}

// O_TMPFILE, which Node has no name for; the same number on every Linux architecture we build for.
const unnamed = 0o20_000_000 | constants.O_DIRECTORY

function openUnnamed(folder: string): Promise<FileHandle> {
  return open(folder, unnamed | constants.O_RDWR, 0o600)
}

/** Makes one without a name, in a folder of the file system where it will get its name. */
export async function makeUnnamedStorage(folder: string, bytes: number): Promise<FileHandle> {
  const file = await openUnnamed(folder)
  const fill = async () => {
    await file.truncate(bytes)
    await format(file, bytes)
  }
  await orUndo(fill, () => file.close())
  return file
}

// Half as many inodes as usual: making their tables takes most of the time.
const bytesPerInode = 32 * 1024
const leastInodes = 64

async function format({ fd }: FileHandle, bytes: number): Promise<void> {
  // No journal: the image dies with the execution. No reserve: no job is root on it. No resizing.
  const features = '^has_journal,^resize_inode'
  const inodes = Math.max(leastInodes, Math.ceil(bytes / bytesPerInode))
  const sizes = ['-m', '0', '-N', `${inodes}`]
  const args = ['-q', '-F', ...sizes, '-O', features, '-E', 'nodiscard', '/proc/self/fd/3']
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  const stdio = ['ignore', 'ignore', 'pipe', fd] as const
  const child = await startChild(makeFileSystem, args, { stdio: [...stdio], env })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const [said, [code, signal]] = await Promise.all([text(child.stderr!), ended])
  if (code !== 0) throw new Error(`mkfs.ext4: ${said.trim() || `ended with ${code ?? signal}`}`)
}
