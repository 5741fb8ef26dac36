/** Builds a distro image from a recipe, and caches it by recipe and architecture. @module */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withFolder } from '../root/remove-tree.ts'
import type { OnProgress } from '../progress.ts'
import { hashFile } from '../fetch/blob.ts'
import type { Owner } from '../root/write-in-root.ts'
import { runTool } from '../tool.ts'
import { removeStaleWork } from './built-archives.ts'
import { configureText } from './configure.ts'
import { makeRoot } from './make-root.ts'
import { packImage } from './pack-image.ts'
import { readBuilt, receiptOf, type Receipt } from './receipt.ts'
import { readRecipe, type Recipe } from './recipe.ts'

export { recipeNames } from './recipe.ts'

/** Options of a build. */
export interface BuildOptions {
  /** The images' folder, created when missing; names are `<recipe>-<architecture>-<key>.tar.xz`. */
  folder: string
  /** Builds again with today's packages, even if the folder has the image. */
  refresh?: boolean
  /** The ordinary user that runs package scripts when we are root; default nobody (65534). */
  builder?: Owner
  signal?: AbortSignal
  onProgress?: OnProgress
}

/** A built image. */
export interface BuiltImage {
  /** A `.tar.xz`. */
  path: string
  /** Lower-case hex; the same package versions (and sources, if included) give the same digest. */
  sha256: string
  bytes: number
  fromCache: boolean
}

/** Part of the cache key: raise it when the same recipe gives another image. */
const builderVersion = 3

const nobody: Owner = { uid: 65534, gid: 65534 }

/**
 * Returns a recipe's image for the host's architecture. If the folder has none, it is built from
 * the host's own apt sources. A failed or aborted build leaves nothing behind.
 *
 * @throws ImageError IMAGE_BUILD_FAILED naming the missing package or program and the command to
 *   type; the signal's reason when aborted
 */
export async function buildRecipe(name: string, options: BuildOptions): Promise<BuiltImage> {
  const { folder, refresh = false, signal } = options
  signal?.throwIfAborted()
  const { recipe, text } = await readRecipe(name)
  const architecture = (await runTool('dpkg', ['--print-architecture'], { signal })).trim()
  const file = `${name}-${architecture}-${await cacheKey(recipe, architecture, text)}.tar.xz`
  const path = join(folder, file)
  const cached = refresh ? undefined : await readBuilt(path, signal)
  if (cached !== undefined) return { path, ...cached, fromCache: true }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeStaleWork(folder)
  return { path, ...(await build(recipe, architecture, path, options)), fromCache: false }
}

async function cacheKey(recipe: Recipe, architecture: string, text: string): Promise<string> {
  const key = createHash('sha256').update(`${builderVersion}\0${architecture}\0${text}`)
  if (recipe.install !== undefined) key.update(`\0${await configureText()}`)
  return key.digest('hex').slice(0, 16)
}

async function build(recipe: Recipe, architecture: string, path: string, options: BuildOptions) {
  const { signal, builder = nobody } = options
  const work = `${path}.${randomBytes(8).toString('hex')}.staging`
  return withFolder(work, async () => {
    const { versions, epoch } = await makeRoot({
      recipe,
      architecture,
      work,
      builder: process.getuid?.() === 0 ? builder : undefined,
      signal,
      report: (detail) => report(options, detail),
    })
    report(options, 'packing')
    await packImage(join(work, 'root'), join(work, 'image'), epoch, signal)
    return publish(work, path, versions)
  })
}

/** The receipt is written last: an image without a receipt is not used. */
async function publish(work: string, path: string, packages: Record<string, string>) {
  const image = join(work, 'image')
  const found = await hashFile(image)
  if (found === undefined) throw new Error('the packed image has vanished')
  const receipt: Receipt = { ...found, packages }
  await writeFile(join(work, 'receipt'), `${JSON.stringify(receipt, undefined, 2)}\n`)
  await rename(image, path)
  await rename(join(work, 'receipt'), receiptOf(path))
  return found
}

function report({ onProgress }: BuildOptions, detail: string): void {
  onProgress?.({ phase: 'build', detail })
}
