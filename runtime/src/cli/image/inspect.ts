/** `causeway image inspect`: shows one image. @module */
import { readInRoot, type ListedImage, type ListedTree } from '@causeway/images'
import { printImages, type ImageFlags } from './store.ts'
import { age, size, stateOf } from '../print/image-text.ts'

const nameWidth = 10
const maxReleaseBytes = 64 * 1024

export async function inspect(prefix: string, flags: ImageFlags): Promise<void> {
  await printImages(flags, async ({ images }) => {
    const image = await images.inspect(prefix)
    const system = systemOf(image)
    return {
      document: { ...image, ...(system !== undefined && { system }) },
      text: textOf(image, system),
    }
  })
}

/** Reads the image's own name for itself: PRETTY_NAME of os-release(5), inside its root. */
function systemOf({ trees: [tree] }: ListedImage): string | undefined {
  if (tree === undefined) return undefined
  const text = readInRoot(tree.path, '/etc/os-release', maxReleaseBytes)?.toString('utf8') ?? ''
  return /^PRETTY_NAME="?([^"\n]{1,100})/m.exec(text)?.[1]
}

function textOf(image: ListedImage, system: string | undefined): string {
  const { sha256, url, archive, diskBytes, lastUsed } = image
  const line = (name: string, text: string | undefined) =>
    text === undefined ? '' : `${name.padEnd(nameWidth)} ${text}\n`
  return [
    line('sha256', sha256),
    line('from', url),
    line('system', system),
    line('state', stateOf(image)),
    line('archive', archive && `${archive.path}  ${size(archive.bytes)}`),
    ...image.trees.map((tree) => line('unpacked', treeText(tree))),
    line('on disk', size(diskBytes)),
    line('used', `${new Date(lastUsed).toISOString()}  ${age(lastUsed)}`),
  ].join('')
}

function treeText({ path, uid, bytes, entries, made }: ListedTree): string {
  return `${path}  ${entries} entries, ${size(bytes)}, for uid ${uid}, ${age(made)}`
}
