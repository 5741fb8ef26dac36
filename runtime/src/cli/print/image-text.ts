/**
 * Images as a person reads them.
 * @module
 */
import type { ListedImage } from '@causeway/images'

const shortDigestLength = 12
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** Enough of a digest to name an image. */
export function shortDigest({ sha256 }: { sha256: string }): string {
  return sha256.slice(0, shortDigestLength)
}

/** Bytes with the unit that leaves at most three digits before the point. */
export function size(bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), names.length - 1)
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${names[power]}`
}

/** A number of images. */
export function imageCount(count: number): string {
  return `${count} image${count === 1 ? '' : 's'}`
}

/** How long ago a time (Unix ms) is. */
export function age(time: number, now = Date.now()): string {
  const passed = now - time
  const [name, ms] = units.find(([, unitMs]) => passed >= unitMs) ?? []
  if (name === undefined || ms === undefined) return 'now'
  const count = Math.floor(passed / ms)
  return `${count} ${name}${count === 1 ? '' : 's'} ago`
}

/** What of an image is there. */
export function stateOf({ archive, part, trees, inUse }: ListedImage): string {
  const parts = [
    archive && 'archive',
    part && `part (${size(part.bytes)})`,
    trees.length > 0 && `${trees.length} unpacked`,
    inUse && 'in use',
  ]
  return parts.filter(Boolean).join(', ')
}

/** Rows under their names, columns as wide as needed; the last one is not filled up. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [names, ...rows]
  const widths = names.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return all.map((row) => `${line(row)}\n`).join('')
}
