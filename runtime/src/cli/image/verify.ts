/** `causeway image verify`: looks for damage in the store. @module */
import type { VerifiedImage } from '@causeway/images'
import { exitCodes } from '../exit-codes.ts'
import { printImages, type ImageFlags } from './store.ts'
import { shortDigest } from '../print/image-text.ts'

export async function verify(prefix: string | undefined, flags: ImageFlags): Promise<void> {
  await printImages(flags, async ({ images, signal, onProgress }) => {
    const found = await images.verify(prefix, { signal, onProgress })
    if (found.some(({ problems }) => problems.length > 0)) process.exitCode = exitCodes.invalid
    return { document: found, text: found.map(textOf).join('') || 'there are no images\n' }
  })
}

function textOf(image: VerifiedImage): string {
  const { problems, unchecked } = image
  const name = shortDigest(image)
  const notes = unchecked.map((text) => `! ${name} not checked: ${text}\n`)
  if (problems.length === 0) return [`✓ ${name} is right\n`, ...notes].join('')
  const lines = problems.map((problem) => `✗ ${name} ${problem}\n`)
  const help = `  when no job uses it: causeway image prune ${name}, then pull it again\n`
  return [...lines, ...notes, help].join('')
}
