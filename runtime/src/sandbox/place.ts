/**
 * Where one execution of a deployment lives: its ids, its folder, its root.
 * @module
 */
import { chmodSync, chownSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Owner } from '@causeway/images'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'
import type { Cgroups } from './cgroup.ts'
import { pickCpu } from './cpus.ts'
import { guestInit, jobHelpers, reachable } from './helpers.ts'
import { openLaunch, type Launch } from './launch.ts'
import { launchOptions, type Bind } from './launcher.ts'
import type { Launchers } from './launchers.ts'
import type { Layers } from './layers.ts'
import { copyTree, layersOf, storageFile, type RootFolders } from './root-folders.ts'
import type { JobLimits } from './limits.ts'
import { mountedJob, type MountedJob } from './mounted-job.ts'
import { childrenOf } from './process-tree.ts'
import { checkNote, noteOf, openFolder, readNote } from './place-note.ts'
import type { Proot } from './proot.ts'
import { removeProotFiles } from './proot-files.ts'
import { makeStorageFile } from './storage.ts'
import { imageUid, leaseUids, rangeSize, type UidLease } from './uids.ts'
import { jobView, type JobPaths } from './view.ts'

/** What all places of a sandbox have in common. */
export interface PlaceContext {
  settings: Config['sandbox']
  layers: Layers
  proot?: Proot & { libraries: readonly string[] }
  cgroups: Cgroups
  launchers: Launchers
  /** Whether a job's layer can be given a file system of its own. */
  limitsStorage: boolean
}

export interface PlaceOptions {
  /** Folder of the execution, ours and empty, or that of an earlier place whose root is used again. */
  folder: string
  limits: JobLimits
  /** Guest path of the working directory. */
  workFolder: string
  /** Host file → guest path, instead of those that a job needs. */
  helpers?: readonly Bind[]
}

export interface Place {
  /** Host uid that stands for the job's root. */
  uid: number
  /** Whom the files of the job are given to; absent when they stay ours. */
  owner?: Owner
  /** Whom the image's files belong to. */
  treeOwner?: Owner
  /**
   * Mounts the root over an unpacked image, for one run of the job.
   * @param emulator program that runs those of another machine
   */
  mount(tree: string, emulator?: string): Promise<MountedJob>
  /** Gives the ids back; nothing of the job may run any more. */
  release(): Promise<void>
}

/** Takes ids for a job and opens its folder to them. @throws StartError */
export function reservePlace(context: PlaceContext, options: PlaceOptions): Place {
  const earlier = readNote(options.folder)
  const lease = leaseFor(context, earlier?.uid)
  try {
    const note = noteOf(lease.uid, kindOf(context))
    if (earlier) checkNote(options.folder, earlier, note)
    openFolder(options.folder, note, context.layers.ownIds)
    const owner = context.layers.ownIds ? { uid: lease.uid, gid: lease.uid } : undefined
    const treeOwner = ownerOfTrees(context, owner)
    const storage = makeStorage(context, options)
    return {
      uid: lease.uid,
      ...(owner && { owner }),
      ...(treeOwner && { treeOwner }),
      async mount(tree, emulator) {
        await storage
        const wanted = { ...options, ...(emulator !== undefined && { emulator }) }
        return mountAt(context, wanted, lease, tree)
      },
      async release() {
        await storage.catch(() => {}) // told by mount
        release(context, lease)
      },
    }
  } catch (error) {
    lease.release()
    throw error
  }
}

function kindOf({ layers, limitsStorage }: PlaceContext): string {
  return [layers.backend, layers.root, ...(limitsStorage ? ['file system'] : [])].join(', ')
}

/** Begun while the image is looked up. */
function makeStorage(
  { limitsStorage }: PlaceContext,
  { folder, limits }: PlaceOptions,
): Promise<void> {
  if (!limitsStorage) return Promise.resolve()
  const made = makeStorageFile(storageFile(folder), limits.storageBytes)
  made.catch(() => {}) // told by mount
  return made
}

function release({ layers }: PlaceContext, lease: UidLease): void {
  try {
    if (layers.ownIds && !layers.namespaces) removeProotFiles(lease.uid)
  } finally {
    lease.release()
  }
}

/** One user for all, where its files can be shown as the job's; else the job itself. */
function ownerOfTrees({ layers, settings }: PlaceContext, owner: Owner | undefined) {
  if (!layers.shiftsIds) return owner
  const uid = imageUid(settings.uidBase)
  return { uid, gid: uid }
}

function leaseFor({ layers, settings }: PlaceContext, earlier: number | undefined): UidLease {
  if (!layers.ownIds) return { uid: process.getuid?.() ?? 0, count: 1, release: () => {} }
  const kind = layers.backend === 'namespaces' ? 'range' : 'one'
  // Without shifted ids there is an unpacked image for each uid: the fewer the better.
  const isSpread = layers.shiftsIds
  const wish = { isSpread, ...(earlier !== undefined && { preferred: earlier }) }
  return leaseUids(settings.uidBase, kind, wish)
}

async function mountAt(
  context: PlaceContext,
  options: PlaceOptions & { emulator?: string },
  lease: UidLease,
  tree: string,
): Promise<MountedJob> {
  const { layers, launchers, settings } = context
  const { folder, limits } = options
  const folders = await prepareFolders(context, options, tree)
  const paths = preparePaths(folder, folders, options.helpers ?? jobHelpers, lease, layers)
  const { launch, program } = jobView({ ...context, ...options, paths, init: initOf(options) })
  const wanted = launchOptions({
    ...(layers.ownIds && { identity: identityOf(lease) }),
    namespaces: layers.namespaces,
    ...(layers.namespaces && { root: folders }),
    ...launch,
    limits: resourceLimits(context, limits),
    ...pickCpu(settings.cpuPinning, context.proot, lease.uid),
  })
  const { launcher, groups } = launchers.take([...wanted, ...program], limits)
  try {
    if (layers.ownIds) launcher.giveOutput(lease.uid)
    const opened = await openLaunch(launcher)
    return mountedJob({
      launch: opened,
      rootFd: openRoot(opened, folders.folder, layers),
      lease,
      layers,
      groups,
      limits,
      written: folders.overlay?.storage ? undefined : (folders.overlay?.upper ?? folders.folder),
    })
  } catch (error) {
    launcher.discard()
    await groups.remove()
    throw error
  }
}

/**
 * The mounted root, as a descriptor: its pid could be another process's by the time of the last
 * write into it.
 * @throws StartError SANDBOX_UNAVAILABLE when the launcher has ended
 */
function openRoot({ childPid, child }: Launch, folder: string, { namespaces }: Layers): number {
  const path = namespaces ? `/proc/${childPid}/root${folder}` : folder
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
    // Until we have seen its end no other process can have the launcher's own pid.
    if (child.pid !== undefined && childrenOf(child.pid)[0] === childPid) return fd
    closeSync(fd)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  throw new StartError('SANDBOX_UNAVAILABLE', 'the launcher ended')
}

function initOf({ helpers = jobHelpers }: PlaceOptions): string {
  return helpers[0]?.[1] ?? guestInit
}

function identityOf({ uid, count }: UidLease): { uid: number } | { range: number } {
  return count === rangeSize ? { range: uid } : { uid }
}

async function prepareFolders(
  { layers, settings, limitsStorage }: PlaceContext,
  { folder }: PlaceOptions,
  tree: string,
): Promise<RootFolders> {
  const folders = layersOf(folder, layers, {
    tree,
    imageUid: imageUid(settings.uidBase),
    isHard: limitsStorage,
  })
  if (folders.overlay?.storage) mkdirSync(folders.overlay.storage.folder, { recursive: true })
  if (folders.overlay) mkdirSync(folders.folder, { recursive: true })
  else await copyTree(tree, folders.folder)
  return folders
}

function preparePaths(
  folder: string,
  root: RootFolders,
  helpers: readonly Bind[],
  lease: UidLease,
  layers: Layers,
): JobPaths {
  const [stage, shm, empty] = [join(folder, 'stage'), join(folder, 'shm'), join(folder, 'empty')]
  for (const path of [stage, shm, empty]) mkdirSync(path, { recursive: true })
  chmodSync(empty, 0o755)
  chmodSync(shm, 0o1777)
  if (layers.ownIds) chownSync(shm, lease.uid, lease.uid)
  return { root: root.folder, stage, shm, empty, helpers: reachable(helpers, folder, layers) }
}

const filesOfJob = 65_536

function resourceLimits(
  { cgroups, layers }: PlaceContext,
  { processes, storageBytes }: JobLimits,
): { processes?: number; files?: number; fileBytes: number } {
  // Counted by uid, so only where that is the job's own, or counted within its namespace.
  const isCounted = layers.ownIds || layers.namespaces
  return {
    ...(isCounted && !cgroups.controllers.has('pids') && { processes }),
    // More than an ordinary user may be allowed to ask for.
    ...(layers.ownIds && { files: filesOfJob }),
    fileBytes: storageBytes,
  }
}
