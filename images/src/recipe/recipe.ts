/**
 * A recipe: what a small distro image is made of. Recipes are part of this package, one folder
 * each under `images/recipes`.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ImageError } from '../image-error.ts'

/** The content of a `recipe.json`. Paths are relative to the image's root. */
export interface Recipe {
  /** What the image is for, in one sentence. */
  description: string
  /** Debian packages taken whole. Dependencies are not followed: the list is complete. */
  packages: readonly string[]
  /**
   * Debian packages, by name or by a pattern of apt-patterns(7), that are installed by dpkg with all
   * they depend on: their scripts run, in namespaces of their own.
   */
  install?: readonly string[]
  /** Debian packages of which only these files are taken. */
  only?: Readonly<Record<string, readonly string[]>>
  npm?: NpmSource
  /** Concatenates all files of a folder, by name, into one. */
  join?: { from: string; to: string }
  /** Removed after that; `*` matches within a name, `**` any depth. */
  remove: readonly string[]
  /** Path to target. Made before the packages are unpacked, which then follow them (`bin`). */
  symlinks: Readonly<Record<string, string>>
  /** A multi-call program (BusyBox): each of its tools that no package brings is linked to it. */
  applets?: string
  /** Path that gets the host's Debian package sources, in the form of sources.list(5). */
  debianSources?: string
  /** Path to octal mode. */
  folders: Readonly<Record<string, string>>
  /** Path to lines. */
  files: Readonly<Record<string, readonly string[]>>
  /** Path to lines of a script. */
  programs?: Readonly<Record<string, readonly string[]>>
}

/** Files of an npm package that brings a program for one architecture. */
export interface NpmSource {
  version: string
  /** Debian's name of the architecture to the package and the digest that npm has for it. */
  packages: Readonly<Record<string, { name: string; integrity: string }>>
  /** Path in the package to path in the image. */
  take: Readonly<Record<string, string>>
}

/** Every recipe there is; see its `description`. */
export const recipeNames: readonly string[] = ['debian', 'minimal', 'node', 'python']

const recipesFolder = new URL('../../recipes/', import.meta.url)

/**
 * Reads a recipe.
 *
 * @returns it, and its text, which stands for it in cache keys
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
  return readFile(fileURLToPath(new URL(name, recipesFolder)), 'utf8')
}
