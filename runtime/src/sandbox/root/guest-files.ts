/**
 * Writes a job's bundle and device links into its root, and builds its entrypoint's command.
 * @module
 */
import { chmodSync, lchownSync, symlinkSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Readable } from 'node:stream'
import { ImageError, makeFolderInRoot, readInRoot, writeInRoot, type Owner } from '@causeway/images'
import { StartError } from '../../errors/start-error.ts'

/** One file of the bundle. */
export interface GuestFile {
  /** Relative, with `/`, already checked. */
  path: string
  executable: boolean
  /** Opens the content, which must be read to its end before the next file. */
  open: () => Promise<Readable | Buffer>
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
  const start = executable || readInRoot(root, guestPath, elfMagic.length)
  if (start === true || (start && isProgram(start))) chmodSync(hostPath, executableMode)
}

const deviceLinks = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
}

/** Makes the guest folder where our own files are bound; throws if the image has a file there. */
export function placeHelperFolder(root: string, owner?: Owner): void {
  makeFolderInRoot(root, helperFolder, owner ? { owner } : {})
}

/** Makes the links in `/dev` that programs expect and small images lack; existing files stay. */
export function placeDeviceLinks(root: string, owner?: Owner): void {
  const folder = makeFolderInRoot(root, '/dev', owner ? { owner } : {})
  for (const [name, target] of Object.entries(deviceLinks)) {
    const path = join(folder, name)
    try {
      symlinkSync(target, path)
      if (owner) lchownSync(path, owner.uid, owner.gid)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/**
 * Command that runs an entrypoint: the file itself when it is a program, else `/bin/sh` with the
 * file. The path is absolute, because scripts find their siblings by `$0`.
 * @param entrypoint relative to the bundle's folder, or absolute in the image
 * @throws StartError ENTRYPOINT_MISSING
 */
export function entrypointCommand(root: string, folder: string, entrypoint: string): string[] {
  const path = posix.resolve(folder, entrypoint)
  const content = readInRoot(root, path, elfMagic.length)
  if (!content) {
    throw new StartError(
      'ENTRYPOINT_MISSING',
      `entrypoint ${JSON.stringify(entrypoint)}: expected a file at ${path} in the image or the bundle, found none`,
    )
  }
  return isProgram(content) ? [path] : ['/bin/sh', path]
}

function isProgram(content: Buffer): boolean {
  return content.subarray(0, 4).equals(elfMagic) || content.subarray(0, 2).equals(scriptMagic)
}
