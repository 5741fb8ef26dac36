/**
 * Checks whether a block is a tar header: the checksum is the only mark of the oldest archives.
 * Only `bridge-unpack` reads the archive itself.
 *
 * @module
 */

/** Size of a tar header in bytes. */
export const tarBlockBytes = 512

const checksumAt = 148
const checksumEnd = 156

/** True when the block's checksum is right, as a sum of unsigned (in old archives signed) bytes. */
export function hasValidChecksum(block: Buffer): boolean {
  const field = block.toString('latin1', checksumAt, checksumEnd)
  const stored = Number.parseInt(field.trim(), 8)
  // The checksum counts its own field as spaces.
  const counted = Buffer.from(block).fill(' ', checksumAt, checksumEnd)
  const sum = counted.reduce((total, byte) => total + byte, 0)
  const highBytes = counted.reduce((count, byte) => count + (byte >> 7), 0)
  return stored === sum || stored === sum - 256 * highBytes
}
