/**
 * `causeway image build`: makes a distro image from a recipe and this host's Debian packages.
 * @module
 */
import { copyFile, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildRecipe, recipeNames, recipesFolder, type BuiltImage } from '@causeway/images'
import { Command } from 'commander'
import { printImages, withImageOptions, type ImageFlags } from './store.ts'
import { size } from '../print/image-text.ts'

interface BuildFlags extends ImageFlags {
  output?: string
  refresh?: boolean
}

export function imageBuildCommand(): Command {
  const command = new Command('build')
    .description('build an image from a recipe; the same package versions give the same sha256')
    .argument('<recipe>', recipeNames.join(', '))
    .option('--output <file>', 'where the .tar.xz goes (default: the state folder)')
    .option('--refresh', 'with the packages of today, even when it was built before')
  return withImageOptions(command).action(build)
}

async function build(name: string, flags: BuildFlags): Promise<void> {
  await printImages(flags, async ({ state, owner, signal, onProgress }) => {
    const built = await buildRecipe(name, {
      folder: recipesFolder(state.images),
      refresh: flags.refresh === true,
      ...(owner !== undefined && { builder: owner }),
      signal,
      onProgress,
    })
    const image = { ...built, path: await place(built, flags.output) }
    const manifest = { image: { url: pathToFileURL(image.path).href, sha256: image.sha256 } }
    return { document: { recipe: name, ...image, manifest }, text: textOf(image, manifest) }
  })
}

/** Copies the image to where it was asked for, all of it or nothing. */
async function place({ path }: BuiltImage, output: string | undefined): Promise<string> {
  if (output === undefined) return path
  const target = resolve(output)
  const part = `${target}.${process.pid}.part`
  try {
    await copyFile(path, part)
    await rename(part, target)
  } finally {
    await rm(part, { force: true })
  }
  return target
}

function textOf({ path, sha256, bytes, fromCache }: BuiltImage, manifest: object): string {
  const lines = JSON.stringify(manifest, undefined, 2).split('\n').slice(1, -1)
  return `✓ image    ${path}
✓ sha256   ${sha256}
  size     ${size(bytes)}, ${fromCache ? 'built before' : 'built now'}

For a manifest.json (on this host it needs no flag; serve the file by https for others):
${lines.join('\n')}
`
}
