/** `causeway image pull`: fetches and unpacks an image before a job needs it. @module */
import { basename } from 'node:path'
import type { ImageReference, ImageTree } from '@causeway/images'
import { parseManifest } from '@causeway/manifest'
import { readInputFile } from '../../deployment/input-file.ts'
import { loadWithoutSandbox, looksLikeManifest } from '../../deployment/load.ts'
import { StartError } from '../../errors/start-error.ts'
import { printImages, type ImageFlags } from './store.ts'
import { shortDigest, size } from '../print/image-text.ts'

export async function pull(
  source: string,
  sha256: string | undefined,
  flags: ImageFlags,
): Promise<void> {
  await printImages(flags, async ({ images, owner, signal, onProgress }) => {
    const reference = await referenceOf(source, sha256)
    const options = { signal, onProgress, ...(owner !== undefined && { owner }) }
    const tree = await images.openTree(reference, options)
    tree.release()
    return { document: documentOf(tree), text: textOf(tree) }
  })
}

/** @throws DocumentError or StartError */
async function referenceOf(source: string, sha256: string | undefined): Promise<ImageReference> {
  if (sha256 !== undefined) return { url: source, sha256: checkDigest(sha256) }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
    throw new Error('expected the sha256 of the archive after its URL, found none')
  }
  const { path, text } = await readInputFile(source, 'a manifest or a deployment file')
  if (basename(path) === 'manifest.json' || looksLikeManifest(text)) {
    return parseManifest(text, source).manifest.image
  }
  const { manifest } = await loadWithoutSandbox(source)
  if (manifest !== undefined) return manifest.image
  throw new StartError(
    'MANIFEST_MISSING',
    `${source}: expected a bundle with manifest.json beside it or in "bundle", found none`,
  )
}

function checkDigest(sha256: string): string {
  if (/^[0-9a-f]{64}$/i.test(sha256)) return sha256
  throw new Error(`sha256: expected 64 hex digits, found ${JSON.stringify(sha256)}`)
}

function documentOf({ sha256, path, bytes, entries, fromCache, image }: ImageTree) {
  const archive = { path: image.path, bytes: image.bytes, fromCache: image.fromCache }
  return { sha256, archive, tree: { path, bytes, entries, fromCache } }
}

function textOf(tree: ImageTree): string {
  const { image, bytes, entries, fromCache } = tree
  const from = image.fromCache ? 'was there' : 'fetched and verified'
  const made = fromCache ? 'was there' : 'unpacked'
  return `✓ archive  sha256 ${image.sha256}, ${size(image.bytes)}, ${from}
✓ tree     ${entries} entries, ${size(bytes)}, ${made}
  causeway image inspect ${shortDigest(tree)}
`
}
