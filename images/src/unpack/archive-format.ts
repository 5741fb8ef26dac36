/** Detects an archive's format by its first bytes, never by its name. @module */
import { ImageError } from '../image-error.ts'
import { hasValidChecksum, tarBlockBytes } from './tar-checksum.ts'

/** The archive formats an image may have. */
export type ArchiveFormat = 'tar.xz' | 'tar.gz' | 'tar.zst' | 'tar'

const magics: readonly (readonly [ArchiveFormat, Buffer])[] = [
  ['tar.xz', Buffer.from('fd377a585a00', 'hex')],
  ['tar.gz', Buffer.from('1f8b', 'hex')],
  ['tar.zst', Buffer.from('28b52ffd', 'hex')],
]

/** Other formats that people try; the error names the one that was found. */
const others: readonly (readonly [string, RegExp])[] = [
  ['a bzip2 file', /^BZh/],
  ['a zip file', /^PK/],
  ['a squashfs image', /^hsqs/],
  ['a web page', /^\s*<(!doctype|html)/i],
  ['an ELF program', /^\x7fELF/],
]

/**
 * Names the format of a file that begins with `head` (its first 512 bytes, or all of it).
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID that says what the file looks like
 */
export function detectFormat(head: Buffer): ArchiveFormat {
  for (const [format, magic] of magics) {
    if (head.subarray(0, magic.length).equals(magic)) return format
  }
  if (head.length === tarBlockBytes && hasValidChecksum(head)) return 'tar'
  const found = head.length === 0 ? 'an empty file' : describe(head.toString('latin1'))
  const expected = 'expected .tar.xz, .tar.gz, .tar.zst or .tar'
  throw new ImageError('IMAGE_ARCHIVE_INVALID', `the image archive is ${found}; ${expected}`)
}

function describe(head: string): string {
  return others.find(([, pattern]) => pattern.test(head))?.[0] ?? 'of no known format'
}
