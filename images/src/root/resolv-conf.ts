/** Gives a root a resolver configuration that works (runtime spec, sandbox defaults). @module */
import { isIP } from 'node:net'
import { isLoopbackAddress, isUnspecifiedAddress } from '@causeway/service/egress'
import { readInRoot } from './read-in-root.ts'
import { writeInRoot, type Owner } from './write-in-root.ts'

/** Written, in this order, if an image has no usable resolver of its own. */
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
 * Writes /etc/resolv.conf in the root unless the file there already names a resolver that is neither
 * loopback nor unspecified: the guest cannot reach the host's loopback. A symlink is followed inside the root to
 * look, but replaced by a file to write. /etc is created when missing.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID when /etc is not a folder
 */
export async function writeResolvConf(root: string, owner?: Owner): Promise<void> {
  const current = readInRoot(root, guestPath, maxBytes)
  if (hasNameserver(current?.toString('utf8') ?? '')) return
  const content = defaultNameservers.map((address) => `nameserver ${address}\n`).join('')
  await writeInRoot(root, guestPath, content, owner === undefined ? {} : { owner })
}

/** True when a resolv.conf(5) text names an address other than 127.0.0.0/8, ::1, 0.0.0.0 and ::. */
export function hasNameserver(text: string): boolean {
  const addresses = text.split('\n').map((line) => /^nameserver[ \t]+(\S+)/.exec(line)?.[1] ?? '')
  const isElsewhere = (address: string) =>
    !isLoopbackAddress(address) && !isUnspecifiedAddress(address)
  return addresses.some((address) => isIP(address.replace(/%.*$/, '')) && isElsewhere(address))
}
