import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildRecipe } from '@causeway/images'

/** Reference for a manifest to the recipe `python`, built once for all test files. */
export async function pythonImage(): Promise<{ url: string; sha256: string }> {
  const folder = join(tmpdir(), `causeway-test-recipes-${process.getuid?.()}`)
  await mkdir(folder, { recursive: true })
  const { path, sha256 } = await buildRecipe('python', { folder })
  return { url: pathToFileURL(path).href, sha256 }
}
