/**
 * `causeway image verify`: looks for damage.
 * @module
 */
import type { VerifiedImage } from '@causeway/images'
import { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { printImages, withImageOptions, type ImageFlags } from './store.ts'
import { shortDigest } from '../print/image-text.ts'

export function imageVerifyCommand(): Command {
  const command = new Command('verify')
    .description('hash archives again, and compare what is unpacked with what they make')
    .argument('[sha256]', 'digest of an archive, or the beginning of it (default: all)')
    .addHelpText('after', `\nExit code: 0 when all is right, ${exitCodes.invalid} when not.`)
  return withImageOptions(command).action(verify)
}

async function verify(prefix: string | undefined, flags: ImageFlags): Promise<void> {
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
