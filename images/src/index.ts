/**
 * Distro images: fetches them by digest, unpacks them as hostile input, prepares their roots and
 * builds small ones.
 *
 * @module
 */
export { ImageError, type ImageErrorKind } from './image-error.ts'
export type { ImageProgress, OnProgress } from './progress.ts'
export { createImageStore, type ImageStore, type ImageStoreOptions } from './store/image-store.ts'
export type { FetchOptions, ImageReference, StoredImage } from './store/archives.ts'
export type { BuiltArchive } from './recipe/built-archives.ts'
export { recipesFolder } from './store/layout.ts'
export type { ListedImage, ListedTree } from './store/inventory.ts'
export type { ImageTree, OpenTreeOptions } from './store/trees/open-tree.ts'
export type { Pruned, PruneOptions } from './store/prune.ts'
export type { LockMode, TryLock } from './store/store-lock.ts'
export type { VerifiedImage } from './store/verify.ts'
export { showUrl } from './fetch/url-policy.ts'
export { unpackImage, type UnpackOptions, type UnpackedImage } from './unpack/unpack-image.ts'
export { emptyFolder, removeTree } from './root/remove-tree.ts'
export { readInRoot } from './root/read-in-root.ts'
export { resolveInRoot } from './root/resolve-in-root.ts'
export {
  makeFolderInRoot,
  writeInRoot,
  type Owner,
  type WriteOptions,
} from './root/write-in-root.ts'
export { defaultNameservers, writeResolvConf } from './root/resolv-conf.ts'
export {
  buildRecipe,
  recipeNames,
  type BuildOptions,
  type BuiltImage,
} from './recipe/build-recipe.ts'
