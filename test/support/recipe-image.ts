import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildRecipe, type BuiltImage } from '@causeway/images'
import { oneAtATime } from './one-at-a-time.ts'

/** The image of a recipe, built once on this machine for all tests and benchmarks of a user. */
export async function builtRecipe(name: string): Promise<BuiltImage> {
  const folder = join(tmpdir(), `causeway-test-recipes-${process.getuid?.()}`)
  await mkdir(folder, { recursive: true })
  return oneAtATime(join(folder, `${name}.lock`), () => buildRecipe(name, { folder }))
}

/** The same as a manifest refers to it. */
export async function recipeImage(name: string): Promise<{ url: string; sha256: string }> {
  const { path, sha256 } = await builtRecipe(name)
  return { url: pathToFileURL(path).href, sha256 }
}
