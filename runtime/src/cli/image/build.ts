/**
 * `causeway image build`: makes a distro image from a recipe and this host's Debian packages.
 * @module
 */
import { copyFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildRecipe, recipesFolder, type BuiltImage } from '@causeway/images'
import { fillImage, type Manifest } from '@causeway/manifest'
import { readInputFile } from '../../deployment/input-file.ts'
import { printImages, type ImageFlags } from './store.ts'
import { size } from '../print/image-text.ts'

interface BuildFlags extends ImageFlags {
  output?: string
  manifest?: string
  refresh?: boolean
}

export async function build(name: string, flags: BuildFlags): Promise<void> {
  await printImages(flags, async ({ state, owner, signal, onProgress }) => {
    const fill = await openManifest(flags.manifest)
    const built = await buildRecipe(name, {
      folder: recipesFolder(state.images),
      refresh: flags.refresh === true,
      ...(owner !== undefined && { builder: owner }),
      signal,
      onProgress,
    })
    const image = { ...built, path: await place(built, flags.output) }
    const manifest = { image: { url: pathToFileURL(image.path).href, sha256: image.sha256 } }
    const filled = await fill?.(manifest.image)
    const text = `${textOf(image)}${filled ? `✓ manifest ${filled}\n` : linesOf(manifest)}`
    return { document: { recipe: name, ...image, manifest }, text }
  })
}

const anyImage = { url: 'file:///any', sha256: '0'.repeat(64) }

/**
 * Reads and checks a manifest before anything is built.
 *
 * @returns a function that writes an image into the manifest and returns the manifest's path
 * @throws StartError INPUT_UNREADABLE; DocumentError
 */
async function openManifest(file: string | undefined) {
  if (file === undefined) return undefined
  const { path, text } = await readInputFile(file, 'a manifest')
  fillImage(text, file, anyImage)
  return async (image: Manifest['image']) => {
    const { mode } = await stat(path)
    return replaced(path, (part) => writeFile(part, fillImage(text, file, image), { mode }))
  }
}

/** Copies the image to `output`: either all of it or nothing is there afterwards. */
async function place({ path }: BuiltImage, output: string | undefined): Promise<string> {
  if (output === undefined) return path
  return replaced(resolve(output), (part) => copyFile(path, part))
}

/** Writes a file beside `target`, then gives it that name. */
async function replaced(target: string, write: (part: string) => Promise<void>): Promise<string> {
  const part = `${target}.${process.pid}.part`
  try {
    await write(part)
    await rename(part, target)
  } finally {
    await rm(part, { force: true })
  }
  return target
}

function textOf({ path, sha256, bytes, fromCache }: BuiltImage): string {
  return `✓ image    ${path}
✓ sha256   ${sha256}
  size     ${size(bytes)}, ${fromCache ? 'built before' : 'built now'}
`
}

function linesOf(manifest: object): string {
  const lines = JSON.stringify(manifest, undefined, 2).split('\n').slice(1, -1)
  return `
For a manifest.json (on this host it needs no flag; serve the file by https for others):
${lines.join('\n')}
`
}
