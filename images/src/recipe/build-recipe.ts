/**
 * Builds a distro image from a recipe, once per recipe and architecture.
 *
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../root/remove-tree.ts'
import { errorCode } from '../image-error.ts'
import type { OnProgress } from '../progress.ts'
import { hashFile } from '../store/blob.ts'
import { runTool } from '../tool.ts'
import { finishTree, makeSymlinks } from './image-tree.ts'
import { hostNodeDigest } from './host-node.ts'
import { packImage } from './pack-image.ts'
import { downloadPackages, unpackPackage, type DebianPackage } from './packages.ts'
import { readRecipe, type Recipe } from './recipe.ts'

export { recipeNames } from './recipe.ts'

/** Where images are kept, and how a build is watched. */
export interface BuildOptions {
  /** Created when missing; images are `<recipe>-<architecture>-<key>.tar.xz` in it. */
  folder: string
  /** Builds again with the packages of today, even when there is an image. */
  refresh?: boolean
  signal?: AbortSignal
  onProgress?: OnProgress
}

/** A built image. */
export interface BuiltImage {
  /** A `.tar.xz`. */
  path: string
  /** Lower-case hex; the same package versions (and Node, if in it) always give the same. */
  sha256: string
  bytes: number
  fromCache: boolean
}

/** Stored beside an image, as `<image>.json`. */
interface Receipt {
  sha256: string
  bytes: number
  /** Debian package to version. */
  packages: Record<string, string>
}

/** Part of the cache key: raise it when the same recipe gives another image. */
const builderVersion = 1

/**
 * Returns the image of a recipe for the host's architecture, building it from the host's own apt
 * sources if it is not in the folder. A failed or aborted build leaves nothing behind.
 *
 * @throws ImageError IMAGE_BUILD_FAILED naming the missing package or program and the line to
 *   type; the signal's reason when aborted
 */
export async function buildRecipe(name: string, options: BuildOptions): Promise<BuiltImage> {
  const { folder, refresh = false, signal } = options
  signal?.throwIfAborted()
  const { recipe, text } = await readRecipe(name)
  const architecture = (await runTool('dpkg', ['--print-architecture'], { signal })).trim()
  const file = `${name}-${architecture}-${await cacheKey(recipe, architecture, text)}.tar.xz`
  const path = join(folder, file)
  const cached = refresh ? undefined : await findCached(path)
  if (cached !== undefined) return { path, ...cached, fromCache: true }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return { path, ...(await build(recipe, path, options)), fromCache: false }
}

async function cacheKey(recipe: Recipe, architecture: string, text: string): Promise<string> {
  const key = createHash('sha256').update(`${builderVersion}\0${architecture}\0${text}`)
  if (recipe.node !== undefined) key.update(`\0${await hostNodeDigest()}`)
  return key.digest('hex').slice(0, 16)
}

/** The image counts only when its receipt is there and its bytes are the receipt's. */
async function findCached(path: string): Promise<{ sha256: string; bytes: number } | undefined> {
  const receipt = await readReceipt(`${path}.json`)
  if (receipt === undefined) return undefined
  const found = await hashFile(path)
  return found?.sha256 === receipt.sha256 ? found : undefined
}

async function readReceipt(path: string): Promise<Receipt | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Receipt
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

async function build(recipe: Recipe, path: string, options: BuildOptions) {
  const work = `${path}.${randomBytes(8).toString('hex')}.staging`
  await mkdir(work, { mode: 0o700 })
  try {
    const packages = await makeTree(recipe, work, options)
    report(options, 'packing')
    await packImage(join(work, 'root'), join(work, 'image'), options.signal)
    return await publish(work, path, packages)
  } finally {
    await removeTree(work)
  }
}

async function makeTree(recipe: Recipe, work: string, options: BuildOptions) {
  const { only = {} } = recipe
  const root = join(work, 'root')
  const names = [...recipe.packages, ...Object.keys(only)]
  report(options, `downloading ${names.length} Debian packages`)
  const packages = await downloadPackages(names, join(work, 'packages'), options.signal)
  await mkdir(root)
  await makeSymlinks(root, recipe)
  for (const item of packages) {
    options.signal?.throwIfAborted()
    report(options, `unpacking ${item.name} ${item.version}`)
    await unpackPackage(item, root, only[item.name])
  }
  report(options, 'arranging files')
  await finishTree(root, recipe)
  return packages
}

/** The receipt comes last: an image without one is not used. */
async function publish(work: string, path: string, packages: readonly DebianPackage[]) {
  const image = join(work, 'image')
  const found = await hashFile(image)
  if (found === undefined) throw new Error('the packed image has vanished')
  const versions = Object.fromEntries(packages.map(({ name, version }) => [name, version]))
  const receipt: Receipt = { ...found, packages: versions }
  await writeFile(join(work, 'receipt'), `${JSON.stringify(receipt, undefined, 2)}\n`)
  await rename(image, path)
  await rename(join(work, 'receipt'), `${path}.json`)
  return found
}

function report({ onProgress }: BuildOptions, detail: string): void {
  onProgress?.({ phase: 'build', detail })
}
