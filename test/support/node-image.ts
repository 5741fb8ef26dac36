import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildRecipe, type BuiltImage } from '@causeway/images'

/** The recipe `node`, built once for all test files. */
export async function nodeImage(): Promise<BuiltImage> {
  const folder = join(tmpdir(), `causeway-test-recipes-${process.getuid?.()}`)
  await mkdir(folder, { recursive: true })
  return buildRecipe('node', { folder })
}
