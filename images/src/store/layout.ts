/**
 * The paths in a store's folder. Only its owner can enter it, so that no job can walk into a tree
 * that other jobs share.
 *
 * @module
 */
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Raise it when {@link unpackImage} makes a different tree from the same archive. */
export const treeVersion = 1

/** Paths in a store. */
export interface Layout {
  /** Archives `<sha256>`, their origins `<sha256>.json`, unfinished archives `<sha256>.part`. */
  blobs: string
  /** Unpacked images `<sha256>-<treeVersion>-<uid>`. */
  trees: string
  /** Empty lock files. They are never removed: a lock on a removed file excludes nobody. */
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

/** Users of an image take this lock shared; removing an image takes it exclusively. */
export function useLockPath({ locks }: Layout, sha256: string): string {
  return join(locks, `${sha256}.use`)
}

/** Taken exclusively to download an image. */
export function fetchLockPath({ locks }: Layout, sha256: string): string {
  return join(locks, `${sha256}.fetch`)
}

/** Taken exclusively to unpack one tree of an image. */
export function unpackLockPath({ locks }: Layout, treeName: string): string {
  return join(locks, `${treeName}.unpack`)
}
