/** Formats facts about images for a person. @module */
import type { ListedImage } from '@causeway/images'

const shortDigestLength = 12
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** Shortens a digest to what is enough to name an image. */
export function shortDigest({ sha256 }: { sha256: string }): string {
  return sha256.slice(0, shortDigestLength)
}

/** Formats bytes with the unit that leaves at most three digits before the point. */
export function size(bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), names.length - 1)
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${names[power]}`
}

/** Formats a number of images. */
export function imageCount(count: number): string {
  return `${count} image${count === 1 ? '' : 's'}`
}

/** Formats a number of archives that `image build` made here. */
export function builtCount(count: number): string {
  return `${count} archive${count === 1 ? '' : 's'} built here`
}

/** Says how long ago a time (Unix ms) was. */
export function age(time: number, now = Date.now()): string {
  const passed = now - time
  const [name, ms] = units.find(([, unitMs]) => passed >= unitMs) ?? []
  if (name === undefined || ms === undefined) return 'now'
  const count = Math.floor(passed / ms)
  return `${count} ${name}${count === 1 ? '' : 's'} ago`
}

/** Says which parts of an image are there. */
export function stateOf({ archive, part, trees, inUse }: ListedImage): string {
  const parts = [
    archive && 'archive',
    part && `part (${size(part.bytes)})`,
    trees.length > 0 && `${trees.length} unpacked`,
    inUse && 'in use',
  ]
  return parts.filter(Boolean).join(', ')
}
