/**
 * A recipe: the packages and files that a small distro image is made of. Each recipe is a folder in
 * `images/recipes` of this package.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ImageError } from '../image-error.ts'

/** The content of a `recipe.json`. Paths are relative to the image's root. */
export interface Recipe {
  /** What the image is for, in one sentence. */
  description: string
  /** Debian packages, unpacked completely. Dependencies are not followed: the list is complete. */
  packages: readonly string[]
  /**
   * Debian packages, by name or by a pattern of apt-patterns(7), that dpkg installs with all their
   * dependencies: their scripts run, in their own namespaces.
   */
  install?: readonly string[]
  /** Debian package to the only files that are taken from it. */
  only?: Readonly<Record<string, readonly string[]>>
  npm?: NpmSource
  /** Concatenates all files of the folder `from`, by name, into the file `to`. */
  join?: { from: string; to: string }
  /** Paths removed after `join`; `*` matches within a name, `**` any depth. */
  remove: readonly string[]
  /** Path to target. They are made before the packages are unpacked, which follow them (`bin`). */
  symlinks: Readonly<Record<string, string>>
  /** A multi-call program (BusyBox): each of its tools that no package contains is linked to it. */
  applets?: string
  /** The file that gets the host's Debian package sources, in the form of sources.list(5). */
  debianSources?: string
  /** Path to octal mode. */
  folders: Readonly<Record<string, string>>
  /** Path to the lines of a file. */
  files: Readonly<Record<string, readonly string[]>>
  /** Path to the lines of a script. */
  programs?: Readonly<Record<string, readonly string[]>>
}

/** Files of an npm package that contains a program for one architecture. */
export interface NpmSource {
  version: string
  /** Debian's architecture to the npm package and its digest in the registry. */
  packages: Readonly<Record<string, { name: string; integrity: string }>>
  /** Path in the package to path in the image. */
  take: Readonly<Record<string, string>>
}

/** All recipes; each has a `description`. */
export const recipeNames: readonly string[] = ['debian', 'minimal', 'node', 'python']

// By the name of the package: this module may be part of a bundle.
const packageJson = createRequire(import.meta.url).resolve('@causeway/images/package.json')
const recipesFolder = join(dirname(packageJson), 'recipes')

/**
 * Reads a recipe.
 *
 * @returns the recipe, and its text for cache keys
 * @throws ImageError IMAGE_BUILD_FAILED for a name that is not in recipeNames
 */
export async function readRecipe(name: string): Promise<{ recipe: Recipe; text: string }> {
  if (!recipeNames.includes(name)) {
    const known = recipeNames.join(', ')
    throw new ImageError('IMAGE_BUILD_FAILED', `no image recipe "${name}"; known: ${known}`)
  }
  const text = await readRecipeFile(`${name}/recipe.json`)
  return { recipe: JSON.parse(text) as Recipe, text }
}

/** Reads a file below `images/recipes`. */
export async function readRecipeFile(name: string): Promise<string> {
  return readFile(join(recipesFolder, name), 'utf8')
}
