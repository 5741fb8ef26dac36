/**
 * Where things are in a store's folder. Nobody but its owner can enter it, so that no job can walk
 * into a tree that other jobs share.
 *
 * @module
 */
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Raise it when {@link unpackImage} makes another tree of the same archive. */
export const treeVersion = 1

/** Paths in a store. */
export interface Layout {
  /** `<sha256>` archives, `<sha256>.json` where they came from, `<sha256>.part` unfinished ones. */
  blobs: string
  /** `<sha256>-<treeVersion>-<uid>` unpacked ones. */
  trees: string
  /** Empty files to lock. They stay: a lock on a file that is removed keeps nobody out. */
  locks: string
  /** Images that were built from recipes on this host, see buildRecipe. */
  recipes: string
}

/** The paths of a store in `folder`. */
export function layoutOf(folder: string): Layout {
  return {
    blobs: join(folder, 'blobs'),
    trees: join(folder, 'trees'),
    locks: join(folder, 'locks'),
    recipes: recipesFolder(folder),
  }
}

/** Where images are built that the store in `folder` knows as this host's own. */
export function recipesFolder(folder: string): string {
  return join(folder, 'recipes')
}

/** Makes the folders of a store, closed to everybody else. */
export async function prepareLayout(folder: string, layout: Layout): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const path of [layout.blobs, layout.trees, layout.locks]) {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await chmod(path, 0o700)
  }
}

/** Shared by whoever uses an image, exclusive for whoever removes it. */
export function useLockPath({ locks }: Layout, sha256: string): string {
  return join(locks, `${sha256}.use`)
}

/** Exclusive for whoever downloads an image. */
export function fetchLockPath({ locks }: Layout, sha256: string): string {
  return join(locks, `${sha256}.fetch`)
}

/** Exclusive for whoever unpacks one tree of an image. */
export function unpackLockPath({ locks }: Layout, treeName: string): string {
  return join(locks, `${treeName}.unpack`)
}
