/**
 * Whether a block is the header of a tar archive: the only mark that the oldest archives have. The
 * archive itself is read by `bridge-unpack` and by nothing here.
 *
 * @module
 */

/** Headers are blocks of this size. */
export const tarBlockBytes = 512

const checksumAt = 148
const checksumEnd = 156

/** True when the block's checksum is right, summed as unsigned bytes (or, by old tars, signed). */
export function hasValidChecksum(block: Buffer): boolean {
  const field = block.toString('latin1', checksumAt, checksumEnd)
  const stored = Number.parseInt(field.trim(), 8)
  // The checksum field itself counts as spaces.
  const counted = Buffer.from(block).fill(' ', checksumAt, checksumEnd)
  const sum = counted.reduce((total, byte) => total + byte, 0)
  const highBytes = counted.reduce((count, byte) => count + (byte >> 7), 0)
  return stored === sum || stored === sum - 256 * highBytes
}
