/** Opens the host's image store, for deployments and for `causeway image`. @module */
import { createImageStore, type ImageStore, type Owner, type TryLock } from '@causeway/images'
import { nativePaths } from '@causeway/native'
import { closeFd, lockFile } from '@causeway/native/process'
import type { Config } from '../config/config.ts'
import { createEgressPolicy } from '@causeway/service/egress'
import { imageUid } from '../sandbox/ids/uid-range.ts'
import { isRoot, type StateFolders } from '../state/state-folders.ts'

export interface OpenImagesOptions {
  config: Pick<Config, 'images' | 'network'>
  state: Pick<StateFolders, 'images'>
  onWarning: (message: string) => void
}

/** Opens the store; it touches no file before its first use. */
export function openImages({ config, state, onWarning }: OpenImagesOptions): ImageStore {
  const { allowLocal, maxCacheBytes } = config.images
  return createImageStore({
    folder: state.images,
    allowLocal,
    allowsAddress: createEgressPolicy(config.network.allow).allows,
    maxCacheBytes,
    unpacker: nativePaths.unpacker,
    lock: lockImages,
    onWarning,
  })
}

/**
 * Owner of unpacked images. Root gives them to a uid that no job has, and every job sees them as
 * its own; an ordinary user's images stay their own.
 */
export function treeOwner({ sandbox }: Pick<Config, 'sandbox'>): Owner | undefined {
  if (!isRoot()) return undefined
  const uid = imageUid(sandbox.uidBase)
  return { uid, gid: uid }
}

/** Locks of the store; the kernel releases them when their owner dies. */
export const lockImages: TryLock = (path, mode) => {
  const fd = lockFile(path, mode)
  return fd === undefined ? undefined : () => closeFd(fd)
}
