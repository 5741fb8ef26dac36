/**
 * Gives a root a resolver configuration that works (runtime spec, sandbox defaults).
 *
 * @module
 */
import { constants, open, type FileHandle } from 'node:fs/promises'
import { isIP } from 'node:net'
import { errorCode } from '../image-error.ts'
import { isLoopbackAddress } from '../store/address-policy.ts'
import { resolveInRoot } from './resolve-in-root.ts'
import { writeInRoot, type Owner } from './write-in-root.ts'

/** Written, in this order, when an image brings no usable resolver of its own. */
export const defaultNameservers: readonly string[] = [
  '8.8.8.8',
  '8.8.4.4',
  '1.1.1.1',
  '1.0.0.1',
  '9.9.9.9',
]

const guestPath = '/etc/resolv.conf'
const maxBytes = 64 * 1024

/**
 * Writes /etc/resolv.conf in the root unless the file there (a symlink is followed inside the root)
 * already names a resolver that is not loopback: what listens on the host's loopback is not there
 * for the guest. A symlink is replaced by a file, /etc is created when missing.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID when /etc is no folder
 */
export async function writeResolvConf(root: string, owner?: Owner): Promise<void> {
  if (hasNameserver(await readCurrent(root))) return
  const content = defaultNameservers.map((address) => `nameserver ${address}\n`).join('')
  await writeInRoot(root, guestPath, content, owner === undefined ? {} : { owner })
}

/** True when a resolv.conf(5) text names at least one address outside 127.0.0.0/8 and ::1. */
export function hasNameserver(text: string): boolean {
  const addresses = text.split('\n').map((line) => /^nameserver[ \t]+(\S+)/.exec(line)?.[1] ?? '')
  return addresses.some((address) => {
    return isIP(address.replace(/%.*$/, '')) !== 0 && !isLoopbackAddress(address)
  })
}

/** The file's first 64 KiB; `''` when there is no regular file. */
async function readCurrent(root: string): Promise<string> {
  const path = await resolveInRoot(root, guestPath)
  if (path === undefined) return ''
  try {
    // O_NONBLOCK: the image may have put a fifo there.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    return await readStart(await open(path, flags))
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENXIO') return ''
    throw error
  }
}

async function readStart(file: FileHandle): Promise<string> {
  try {
    const stat = await file.stat()
    if (!stat.isFile()) return ''
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes))
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
