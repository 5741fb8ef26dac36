/**
 * Makes the folder that an image is packed from: a recipe's packages, then its other changes.
 *
 * @module
 */
import { chmod, mkdir, readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Owner } from '../root/write-in-root.ts'
import { runTool } from '../tool.ts'
import { configurePackages, newestFile } from './configure.ts'
import { finishTree, makeSymlinks, writeLines } from './image-tree.ts'
import { takeFromNpm } from './npm-package.ts'
import {
  debianSources,
  downloadPackages,
  resolvePackages,
  unpackPackage,
  type DebianPackage,
} from './packages.ts'
import type { Recipe } from './recipe.ts'

/** Options of makeRoot. */
export interface RootOptions {
  recipe: Recipe
  /** Debian's name of the architecture. */
  architecture: string
  /** Working folder; the tree is made as `root` in it. */
  work: string
  /** The ordinary user that runs package scripts; required when we are root. */
  builder: Owner | undefined
  signal: AbortSignal | undefined
  report: (detail: string) => void
}

/** The contents of a finished root. */
export interface MadeRoot {
  /** Package name to version. */
  versions: Record<string, string>
  /** Unix seconds, time of an installed package's newest file; absent if none was installed. */
  epoch?: number
}

/**
 * Makes `root` in `options.work`.
 *
 * @throws ImageError IMAGE_BUILD_FAILED; the signal's reason when aborted
 */
export async function makeRoot(options: RootOptions): Promise<MadeRoot> {
  const { recipe, work, signal, report } = options
  const { install = [], only = {} } = recipe
  const root = join(work, 'root')
  const installed = install.length === 0 ? [] : await resolvePackages(install, signal)
  const names = [...recipe.packages, ...Object.keys(only), ...installed]
  report(`downloading ${names.length} Debian packages`)
  const packages = await downloadPackages(names, join(work, 'packages'), signal)
  await mkdir(root)
  await makeSymlinks(root, recipe)
  const epoch =
    install.length === 0
      ? await unpackAll(options, root, packages)
      : await installAll(options, root, packages)
  const versions = Object.fromEntries(packages.map(({ name, version }) => [name, version]))
  if (recipe.npm !== undefined) {
    report('downloading an npm package')
    const folder = join(work, 'npm')
    const taken = await takeFromNpm(recipe.npm, options.architecture, folder, root, signal)
    versions[taken.name] = taken.version
  }
  report('arranging files')
  await finishTree(root, recipe)
  if (recipe.debianSources !== undefined) {
    await writeLines(root, recipe.debianSources, await debianSources(signal))
  }
  return { versions, ...(epoch !== undefined && { epoch }) }
}

async function unpackAll(
  { recipe, signal, report }: RootOptions,
  root: string,
  packages: readonly DebianPackage[],
): Promise<undefined> {
  for (const item of packages) {
    signal?.throwIfAborted()
    report(`unpacking ${item.name} ${item.version}`)
    await unpackPackage(item, root, { members: recipe.only?.[item.name] })
  }
}

/** Unpacks and installs as the builder, who can reach the packages only inside the root. */
async function installAll(
  { work, builder, signal, report }: RootOptions,
  root: string,
  packages: readonly DebianPackage[],
): Promise<number> {
  const folder = join(root, '.packages')
  await rename(join(work, 'packages'), folder)
  await chmod(folder, 0o755)
  for (const file of await readdir(folder)) await chmod(join(folder, file), 0o644)
  if (builder !== undefined) {
    await runTool('chown', ['-R', '-h', `${builder.uid}:${builder.gid}`, root])
  }
  for (const { name, version, path } of packages) {
    signal?.throwIfAborted()
    report(`unpacking ${name} ${version}`)
    const inside = { name, path: join('.packages', basename(path)) }
    await unpackPackage(inside, root, builder === undefined ? {} : { owner: builder })
  }
  report('installing packages')
  const epoch = await newestFile(root)
  await configurePackages(root, epoch, builder, signal)
  return epoch
}
