/** Starts the launcher that mounts the root of a job's place. @module */
import { closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { orUndo } from '@causeway/service/failure'
import { StartError } from '../errors/start-error.ts'
import type { JobGroups } from '../cgroup/cgroup.ts'
import { pickCpu } from './proot/cpus.ts'
import { guestInit, jobHelpers } from './root/guest-programs.ts'
import { prepareJobPaths } from './root/job-paths.ts'
import { openLaunch, type Launch } from './launcher/launch.ts'
import { launchOptions, type Bind } from './launcher/launcher.ts'
import type { LauncherProcess } from './launcher/launcher-process.ts'
import type { PreparedLauncher } from './launcher/launchers.ts'
import type { Layers } from './layers.ts'
import { filesOf, type JobLimits } from './limits.ts'
import { mountedJob, type MountedJob } from './mounted-job.ts'
import type { PlaceContext } from './place-context.ts'
import { childrenOf } from './launcher/process-tree.ts'
import { copyTree, layersOf, storageFile, type RootFolders } from './root/root-folders.ts'
import { imageUid, rangeSize } from './ids/uid-range.ts'
import type { UidLease } from './ids/uids.ts'
import { tasksOfUser } from '../cgroup/user-tasks.ts'
import { jobView } from './root/choose-view.ts'

/** Options that may differ between mounts of the same place. */
export interface MountHow {
  /** Emulator for programs of another machine. */
  emulator?: string
  /** Our descriptor of the job's network namespace. */
  network?: number
  /** Aborts the mounting. */
  signal?: AbortSignal
}

export interface MountOptions extends MountHow {
  /** Folder of the execution: ours and empty, or of an earlier place, to use its root again. */
  folder: string
  limits: JobLimits
  /** Guest path of the working directory. */
  workFolder: string
  /** Host file → guest path; these replace the helpers that a job needs. */
  helpers?: readonly Bind[]
}

/** @throws StartError, or the signal's reason; nothing stays mounted then */
export async function mountAt(
  context: PlaceContext,
  options: MountOptions,
  lease: UidLease,
  tree: string,
): Promise<MountedJob> {
  const { launchers, limitsStorage } = context
  const { folder, limits, signal } = options
  const file = limitsStorage ? storageFile(folder) : undefined
  // A spare that cannot be prepared counts as none.
  const ready = await launchers.takeReady(limits, file).catch(() => undefined)
  if (ready) {
    try {
      return await mountWith(ready, context, options, lease, tree)
    } catch (error) {
      // An older file system may still be mounted, and must not be mounted twice.
      if (signal?.aborted || (file !== undefined && !ready.layer)) throw error
      if (file !== undefined) await rm(file)
    }
  }
  return mountWith(await launchers.take(limits, file), context, options, lease, tree)
}

async function mountWith(
  prepared: PreparedLauncher,
  context: PlaceContext,
  options: MountOptions,
  lease: UidLease,
  tree: string,
): Promise<MountedJob> {
  let launcher: LauncherProcess | undefined
  const open = async () => {
    const folders = await prepareFolders(context, options, tree, prepared)
    launcher = prepared.start(launchWords(context, options, lease, folders))
    return openMounted(context, options, lease, folders, { ...prepared, launcher })
  }
  return orUndo(open, () => {
    launcher?.discard()
    return prepared.giveUp()
  })
}

/** The options and the program for the launcher. */
function launchWords(
  context: PlaceContext,
  options: MountOptions,
  lease: UidLease,
  folders: RootFolders,
): string[] {
  const { layers, settings } = context
  const { folder, limits } = options
  const paths = prepareJobPaths({
    folder,
    root: folders.folder,
    helpers: options.helpers ?? jobHelpers,
    uid: lease.uid,
    layers,
    ...(options.emulator !== undefined && { emulator: options.emulator }),
  })
  const { launch, program } = jobView({ ...context, ...options, paths, init: initOf(options) })
  const wanted = launchOptions({
    ...(layers.ownIds && { identity: identityOf(lease) }),
    namespaces: layers.namespaces,
    ...(options.network !== undefined && { network: pathOf(options.network) }),
    ...(layers.namespaces && { root: folders }),
    ...launch,
    limits: resourceLimits(context, limits, lease),
    ...pickCpu(settings.cpuPinning, context.proot, lease.uid),
  })
  return [...wanted, ...program]
}

/** Path by which the launcher, which inherits no descriptor of ours, can open one. */
function pathOf(fd: number): string {
  return `/proc/${process.pid}/fd/${fd}`
}

async function openMounted(
  { layers, limitsStorage }: PlaceContext,
  { limits, signal }: MountOptions,
  lease: UidLease,
  folders: RootFolders,
  { launcher, groups }: { launcher: LauncherProcess; groups: JobGroups },
): Promise<MountedJob> {
  if (layers.ownIds) launcher.giveOutput(lease.uid)
  const opened = await openLaunch(launcher, signal)
  return mountedJob({
    launch: opened,
    rootFd: openRoot(opened, folders.folder, layers),
    lease,
    layers,
    groups,
    limits,
    written: limitsStorage ? undefined : (folders.overlay?.upper ?? folders.folder),
  })
}

/**
 * Opens the mounted root as a descriptor: by the time of the last write into it, another process
 * could have the pid of its path.
 * @throws StartError SANDBOX_UNAVAILABLE when the launcher has ended
 */
function openRoot({ childPid, child }: Launch, folder: string, { namespaces }: Layers): number {
  const path = namespaces ? `/proc/${childPid}/root${folder}` : folder
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
    // No other process gets the launcher's pid before this one has seen the launcher's end.
    if (child.pid !== undefined && childrenOf(child.pid)[0] === childPid) return fd
    closeSync(fd)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  throw new StartError('SANDBOX_UNAVAILABLE', 'the launcher ended')
}

function initOf({ helpers = jobHelpers }: MountOptions): string {
  return helpers[0]?.[1] ?? guestInit
}

function identityOf({ uid, count }: UidLease): { uid: number } | { range: number } {
  return count === rangeSize ? { range: uid } : { uid }
}

async function prepareFolders(
  { layers, settings, limitsStorage }: PlaceContext,
  { folder }: MountOptions,
  tree: string,
  { layer }: PreparedLauncher,
): Promise<RootFolders> {
  const folders = layersOf(folder, layers, {
    tree,
    imageUid: imageUid(settings.uidBase),
    isHard: limitsStorage,
    ...(layer && { mounted: layer }),
  })
  if (folders.overlay?.storage) mkdirSync(folders.overlay.storage.folder, { recursive: true })
  if (folders.overlay) mkdirSync(folders.folder, { recursive: true })
  else await copyTree(tree, folders.folder)
  return folders
}

function resourceLimits(
  { cgroups, layers, settings }: PlaceContext,
  { processes, storageBytes }: JobLimits,
  { uid }: UidLease,
): { processes?: number; files: number; fileBytes: number } {
  // RLIMIT_NPROC counts by uid: without a uid or namespace of the job's own, all the user's tasks.
  const others = layers.ownIds || layers.namespaces ? 0 : tasksOfUser(uid)
  return {
    ...(!cgroups.controllers.has('pids') && { processes: processes + others }),
    // The launcher never raises it above what an ordinary user may have.
    files: filesOf(settings),
    fileBytes: storageBytes,
  }
}
