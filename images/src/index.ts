/**
 * Distro images: fetch them by digest, unpack them as hostile input, prepare their roots, build
 * small ones.
 *
 * @module
 */
export { ImageError, type ImageErrorKind } from './image-error.ts'
export type { ImageProgress, OnProgress } from './progress.ts'
export {
  createImageStore,
  type FetchOptions,
  type ImageReference,
  type ImageStore,
  type ImageStoreOptions,
  type StoredImage,
} from './store/image-store.ts'
export { showUrl } from './store/url-policy.ts'
export { unpackImage, type UnpackOptions } from './unpack/unpack-image.ts'
export { removeTree } from './root/remove-tree.ts'
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
