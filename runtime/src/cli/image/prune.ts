/** `causeway image prune`: removes images that no job uses. @module */
import { basename } from 'node:path'
import type { ImageStore, Pruned } from '@causeway/images'
import { loadConfig } from '../../config/config.ts'
import { printImages, type ImageFlags } from './store.ts'
import { builtCount, imageCount, shortDigest, size } from '../print/image-text.ts'

interface PruneFlags extends ImageFlags {
  all?: boolean
  maxBytes?: number
  minAge?: number
}

const msPerHour = 3_600_000

export async function pruneImages(prefixes: string[], flags: PruneFlags): Promise<void> {
  await printImages(flags, async ({ images }) => {
    const pruned = await prune(images, prefixes, flags)
    return { document: pruned, text: textOf(pruned) }
  })
}

function prune(images: ImageStore, prefixes: string[], flags: PruneFlags): Promise<Pruned> {
  const { all = false, maxBytes, minAge } = flags
  const isSized = all || maxBytes !== undefined || minAge !== undefined
  if (prefixes.length > 0 && isSized) {
    throw new Error('expected digests, or --all, --max-bytes and --min-age; found both')
  }
  if (prefixes.length > 0) return images.remove(prefixes)
  return images.prune({
    maxBytes: all ? 0 : (maxBytes ?? loadConfig(flags.config).images.maxCacheBytes),
    built: all,
    ...(minAge !== undefined && { minAgeMs: minAge * msPerHour }),
  })
}

function textOf({ removed, built, freedBytes, leftBytes, inUse }: Pruned): string {
  const lines = [
    ...removed.map(
      (image) => `✓ removed ${shortDigest(image)}  ${size(image.diskBytes)}  ${image.url ?? ''}`,
    ),
    ...built.map(({ path, diskBytes }) => `✓ removed ${basename(path)}  ${size(diskBytes)}`),
  ]
  const kept = inUse.map((sha256) => `! kept ${shortDigest({ sha256 })}, which is in use`)
  const more = built.length > 0 ? ` and ${builtCount(built.length)}` : ''
  const amounts = `${size(freedBytes)} freed, ${size(leftBytes)} left`
  const sum = `${imageCount(removed.length)}${more} removed, ${amounts}`
  return [...lines, ...kept, sum].map((line) => `${line.trimEnd()}\n`).join('')
}
