import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildRecipe, type BuiltImage } from '@causeway/images'
import { oneAtATime } from './one-at-a-time.ts'

/** The image of a recipe; it is built once per machine and user, for all tests and benchmarks. */
export async function builtRecipe(name: string): Promise<BuiltImage> {
  const folder = join(tmpdir(), `causeway-test-recipes-${process.getuid?.()}`)
  await mkdir(folder, { recursive: true })
  return oneAtATime(join(folder, `${name}.lock`), () => buildRecipe(name, { folder }))
}

/** The same image without its compression, which costs each test seconds, as a manifest refers to it. */
export async function recipeImage(name: string): Promise<{ url: string; sha256: string }> {
  const { path: compressed } = await builtRecipe(name)
  const path = compressed.replace(/\.xz$/, '')
  const script = 'test -e "$1" || { xz -dc "$0" > "$1.part" && mv "$1.part" "$1"; }'
  const unpack = () => promisify(execFile)('sh', ['-c', script, compressed, path])
  await oneAtATime(`${path}.lock`, unpack)
  const sha256 = createHash('sha256').update(await readFile(path))
  return { url: pathToFileURL(path).href, sha256: sha256.digest('hex') }
}
