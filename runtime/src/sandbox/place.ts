/** A place: the ids, the folder and the root of one execution. @module */
import type { Owner } from '@causeway/images'
import { orUndoNow } from '@causeway/service/failure'
import { mountAt, type MountHow, type MountOptions } from './mount.ts'
import type { MountedJob } from './mounted-job.ts'
import type { PlaceContext } from './place-context.ts'
import { checkNote, openFolder, readNote } from './place-note.ts'
import { removeProotFiles } from './proot/leftovers.ts'
import { removeRoot } from './root/root-damage.ts'
import { imageUid } from './ids/uid-range.ts'
import { leaseUids, type UidLease } from './ids/uids.ts'

export type PlaceOptions = Omit<MountOptions, keyof MountHow>

export interface Place {
  /** Host uid of the job's root user. */
  uid: number
  /** How many uids the job has, from `uid` on. */
  uidCount: number
  /** Owner of the job's files; absent when they stay ours. */
  owner?: Owner
  /** Owner of the image's files; absent when they stay ours. */
  treeOwner?: Owner
  /**
   * Mounts the root over an unpacked image, for one run of the job.
   * @throws StartError, or the signal's reason; nothing stays mounted then
   */
  mount(tree: string, how?: MountHow): Promise<MountedJob>
  /** Removes the root, so that the next mount has a new one; nothing of it may be mounted. */
  discardRoot(): Promise<void>
  /** Releases the ids; no process of the job may run any more. */
  release(): void
}

/** Leases ids for a job, and opens its folder to them. @throws StartError */
export function reservePlace(context: PlaceContext, options: PlaceOptions): Place {
  const earlier = readNote(options.folder)
  const lease = leaseFor(context, earlier?.uid)
  const open = (): Place => {
    const note = { uid: lease.uid, kind: kindOf(context), bootId: context.bootId }
    if (earlier) checkNote(options.folder, earlier, note)
    openFolder(options.folder, note, context.layers.ownIds)
    const owner = context.layers.ownIds ? { uid: lease.uid, gid: lease.uid } : undefined
    const treeOwner = ownerOfTrees(context, owner)
    return {
      uid: lease.uid,
      uidCount: lease.count,
      ...(owner && { owner }),
      ...(treeOwner && { treeOwner }),
      mount: (tree, how) => mountAt(context, { ...options, ...how }, lease, tree),
      discardRoot: () => removeRoot(options.folder),
      release: () => release(context, lease),
    }
  }
  return orUndoNow(open, () => lease.release())
}

function kindOf({ layers, limitsStorage }: PlaceContext): string {
  return [layers.backend, layers.root, ...(limitsStorage ? ['file system'] : [])].join(', ')
}

function release({ layers }: PlaceContext, lease: UidLease): void {
  try {
    if (layers.ownIds && !layers.namespaces) removeProotFiles(lease.uid)
  } finally {
    lease.release()
  }
}

/** One owner for all images where mounts can show its files as the job's; else the job itself. */
function ownerOfTrees({ layers, settings }: PlaceContext, owner: Owner | undefined) {
  if (!layers.shiftsIds) return owner
  const uid = imageUid(settings.uidBase)
  return { uid, gid: uid }
}

function leaseFor({ layers, settings }: PlaceContext, earlier: number | undefined): UidLease {
  if (!layers.ownIds) return { uid: process.getuid?.() ?? 0, count: 1, release: () => {} }
  const kind = layers.backend === 'namespaces' ? 'range' : 'one'
  // Without shifted ids each uid needs an unpacked image: use as few uids as possible.
  const isSpread = layers.shiftsIds
  const wish = { isSpread, ...(earlier !== undefined && { preferred: earlier }) }
  return leaseUids(settings.uidBase, kind, wish)
}
