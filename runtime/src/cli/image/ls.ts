/** `causeway image ls`: lists the images in the store. @module */
import type { ListedImage } from '@causeway/images'
import { printImages, type ImageFlags } from './store.ts'
import { age, builtCount, imageCount, shortDigest, size, stateOf } from '../print/image-text.ts'
import { table } from '../print/table.ts'

export async function ls(flags: ImageFlags): Promise<void> {
  await printImages(flags, async ({ images }) => {
    const listed = await images.list()
    return { document: listed, text: textOf(listed, await images.listBuilt()) }
  })
}

type Sized = readonly { diskBytes: number }[]

function textOf(images: readonly ListedImage[], built: Sized): string {
  const rows = images.map((image) => [
    shortDigest(image),
    size(image.diskBytes),
    age(image.lastUsed),
    stateOf(image),
    image.url ?? '',
  ])
  const total = `${imageCount(images.length)}, ${sum(images)} on the disk\n`
  const more = built.length > 0 ? `${builtCount(built.length)}, ${sum(built)} on the disk\n` : ''
  return `${table(['SHA256', 'SIZE', 'USED', 'STATE', 'FROM'], rows)}\n${total}${more}`
}

function sum(items: Sized): string {
  return size(items.reduce((bytes, { diskBytes }) => bytes + diskBytes, 0))
}
