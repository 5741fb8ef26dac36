/**
 * What goes into a job's root besides the image: its bundle, and how its entrypoint is run.
 * @module
 */
import { chmod, constants, lchown, open, symlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Readable } from 'node:stream'
import {
  ImageError,
  makeFolderInRoot,
  resolveInRoot,
  writeInRoot,
  type Owner,
} from '@causeway/images'
import { StartError } from '../start-error.ts'

/** One file of the job. */
export interface GuestFile {
  /** Relative, with `/`, already checked. */
  path: string
  executable: boolean
  /** The content; must be read to its end before the next file. */
  open: () => Promise<Readable>
}

/** Guest folder of the host's own files. */
export const helperFolder = '/.causeway'

const elfMagic = Buffer.from('\x7fELF', 'latin1')
const scriptMagic = Buffer.from('#!')
const executableMode = 0o755
const plainMode = 0o644

/**
 * Writes a bundle's files below a guest folder; ELF files and `#!` scripts become executable.
 * @throws StartError BUNDLE_INVALID where the image has no place for a file; the signal's reason
 */
export async function placeBundle(
  root: string,
  folder: string,
  files: AsyncIterable<GuestFile>,
  { owner, signal }: { owner?: Owner; signal: AbortSignal },
): Promise<void> {
  for await (const file of files) {
    signal.throwIfAborted()
    try {
      await placeFile(root, posix.join(folder, file.path), file, owner)
    } catch (cause) {
      if (!(cause instanceof ImageError)) throw cause
      throw new StartError('BUNDLE_INVALID', `bundle: ${file.path}: ${cause.message}`, { cause })
    }
  }
}

async function placeFile(
  root: string,
  guestPath: string,
  { executable, open: read }: GuestFile,
  owner: Owner | undefined,
): Promise<void> {
  const options = { mode: plainMode, ...(owner && { owner }) }
  const hostPath = await writeInRoot(root, guestPath, await read(), options)
  if (executable || isProgram(await readStart(hostPath))) await chmod(hostPath, executableMode)
}

const deviceLinks = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
}

/** Where our own files are bound in the guest. An image that has a file there is told, not run. */
export async function placeHelperFolder(root: string, owner?: Owner): Promise<void> {
  await makeFolderInRoot(root, helperFolder, owner ? { owner } : {})
}

/** The links in `/dev` that programs expect and small images leave out; what is there stays. */
export async function placeDeviceLinks(root: string, owner?: Owner): Promise<void> {
  const folder = await makeFolderInRoot(root, '/dev', owner ? { owner } : {})
  for (const [name, target] of Object.entries(deviceLinks)) {
    const path = join(folder, name)
    try {
      await symlink(target, path)
      if (owner) await lchown(path, owner.uid, owner.gid)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/**
 * Command that runs an entrypoint: itself when it is a program, else through `/bin/sh`. Its path
 * is whole, because scripts find their siblings by `$0`.
 * @param entrypoint relative to the bundle's folder, or absolute in the image
 * @throws StartError ENTRYPOINT_MISSING
 */
export async function entrypointCommand(
  root: string,
  folder: string,
  entrypoint: string,
): Promise<string[]> {
  const path = posix.resolve(folder, entrypoint)
  const hostPath = await resolveInRoot(root, path)
  const content = hostPath && (await readStart(hostPath).catch(() => undefined))
  if (!content) {
    throw new StartError(
      'ENTRYPOINT_MISSING',
      `entrypoint ${JSON.stringify(entrypoint)}: expected a file at ${path} in the image or the bundle, found none`,
    )
  }
  return isProgram(content) ? [path] : ['/bin/sh', path]
}

/** The first bytes of a plain file. @throws when it is none, or not there */
async function readStart(hostPath: string): Promise<Buffer> {
  // A path of the guest may be a fifo, on which an open would wait for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(hostPath, flags)
  try {
    if (!(await file.stat()).isFile()) throw new TypeError(`${hostPath} is no plain file`)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(elfMagic.length) })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function isProgram(content: Buffer): boolean {
  return content.subarray(0, 4).equals(elfMagic) || content.subarray(0, 2).equals(scriptMagic)
}
