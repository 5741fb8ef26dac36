/** `causeway image ls`: lists the images in the store. @module */
import type { ListedImage } from '@causeway/images'
import { printImages, type ImageFlags } from './store.ts'
import { age, imageCount, shortDigest, size, stateOf } from '../print/image-text.ts'
import { table } from '../print/table.ts'

export async function ls(flags: ImageFlags): Promise<void> {
  await printImages(flags, async ({ images }) => {
    const listed = await images.list()
    return { document: listed, text: textOf(listed) }
  })
}

function textOf(images: readonly ListedImage[]): string {
  const rows = images.map((image) => [
    shortDigest(image),
    size(image.diskBytes),
    age(image.lastUsed),
    stateOf(image),
    image.url ?? '',
  ])
  const sum = images.reduce((bytes, { diskBytes }) => bytes + diskBytes, 0)
  const total = `${imageCount(images.length)}, ${size(sum)} on the disk\n`
  return `${table(['SHA256', 'SIZE', 'USED', 'STATE', 'FROM'], rows)}\n${total}`
}
