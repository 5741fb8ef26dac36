/**
 * A job whose root is mounted: the host fills the root, starts the job, and watches it to its end.
 * @module
 */
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Membership } from '@causeway/native'
import { StartError } from '../errors/start-error.ts'
import type { JobGroups } from '../cgroup/cgroup.ts'
import { startBlock } from './root/environment.ts'
import { statusOf, type JobExit } from './exit.ts'
import { startJob, type Job } from './job.ts'
import type { Launch } from './launcher/launch.ts'
import type { Layers } from './layers.ts'
import type { JobLimits } from './limits.ts'
import { childrenOf } from './launcher/process-tree.ts'
import { usedBytes } from './storage/storage.ts'
import type { UidLease } from './ids/uids.ts'

export interface MountedJob {
  /** Host path of the job's root; valid until the job starts. */
  readonly root: string
  /** Folders of the job's control groups. */
  readonly groups: readonly string[]
  start(options: StartOptions): Job
  /** Ends the launcher without starting the job. */
  cancel(): Promise<void>
}

export interface StartOptions {
  /** Entrypoint and arguments, guest paths. */
  command: readonly string[]
  /** The job's whole environment. */
  environment: Readonly<Record<string, string>>
  /** Called with whose calls to accept, before the job can make one. */
  admit: (membership: Membership) => void
}

export interface MountedJobOptions {
  launch: Launch
  /** Descriptor of the mounted root; closed when the job starts. */
  rootFd: number
  lease: UidLease
  layers: Layers
  groups: JobGroups
  limits: JobLimits
  /** Folder whose size is checked against the storage limit, if no file system enforces that. */
  written: string | undefined
}

export function mountedJob(options: MountedJobOptions): MountedJob {
  const { launch, rootFd, groups } = options
  const closeRoot = callOnce(() => closeSync(rootFd))
  return {
    root: `/proc/self/fd/${rootFd}`,
    groups: groups.folders,
    start({ command, environment, admit }) {
      // The launcher's child already exists, and becomes the job's first process.
      admit(membership(options))
      checkChild(launch)
      closeRoot()
      const entrypoint = command.join(' ')
      const job = startJob(launch, { entrypoint, start: startBlock(command, environment) })
      return watched(job, options)
    },
    async cancel() {
      closeRoot()
      const { child } = launch
      const isOver = child.exitCode !== null || child.signalCode !== null
      const gone = isOver ? undefined : once(child, 'exit')
      launch.discard()
      await gone
      await groups.remove()
    },
  }
}

/**
 * Checks that the admitted pid is the job's: no other process can have it while it belongs to a
 * child of the launcher.
 * @throws StartError SANDBOX_UNAVAILABLE
 */
function checkChild({ child, childPid }: Launch): void {
  if (child.pid !== undefined && childrenOf(child.pid)[0] === childPid) return
  throw new StartError('SANDBOX_UNAVAILABLE', 'the launcher ended')
}

function callOnce(call: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) call()
    isDone = true
  }
}

/**
 * The job alone has its PID namespace, which ends with its first process; only root and the user
 * who made it can enter it. Without a PID namespace the job's processes share only their tracer.
 */
function membership({ launch, lease, layers }: MountedJobOptions): Membership {
  const by = layers.namespaces ? 'pid-namespace' : 'tracer'
  return { by, uid: lease.uid, uidCount: lease.count, pid: launch.childPid }
}

/** Delays a job's exit until no process of it is left, and adds the limit that it exceeded. */
function watched(job: Job, options: MountedJobOptions): Job {
  const { groups, limits } = options
  const over = new AbortController()
  const storage = watchStorage(job, options, over.signal)
  const exited = job.exited.then(async (exit): Promise<JobExit> => {
    over.abort()
    const outOfMemory = groups.oomKills() > 0
    await groups.remove()
    const isFull = await storage
    if (isFull)
      return ended(exit, 'killed', `more than its ${limits.storageBytes} bytes of storage`)
    if (outOfMemory && wasKilled(exit)) {
      return ended(exit, 'oom', `more than its ${limits.memoryBytes} bytes of memory`)
    }
    return exit
  })
  return { ...job, exited }
}

function ended(exit: JobExit, reason: 'oom' | 'killed', detail: string): JobExit {
  const status = statusOf(exit)
  return { reason, detail, ...(status && { status }) }
}

const sigkill = 9
// A shell or a tracer exits with this plus the signal that killed its own child.
const shellBase = 128

/** Whether the job itself was killed: it may go on after the kernel has killed a child of it. */
function wasKilled(exit: JobExit): boolean {
  if (exit.reason === 'exited') return exit.code === shellBase + sigkill
  if (exit.reason === 'signaled') return exit.number === sigkill
  return exit.reason === 'killed'
}

const firstLookMs = 500
const longestPauseMs = 30_000
// Share of the time spent on counting: a large layer takes long.
const shareOfTime = 0.02

/** @returns whether the job was ended because it wrote too much */
async function watchStorage(
  job: Job,
  { written, limits }: MountedJobOptions,
  over: AbortSignal,
): Promise<boolean> {
  if (written === undefined) return false
  let wait = firstLookMs
  for (;;) {
    await pause(wait, undefined, { signal: over, ref: false }).catch(() => {}) // aborted
    if (over.aborted) return false
    const began = performance.now()
    if ((await usedBytes(written)) > limits.storageBytes) {
      job.kill()
      return true
    }
    const took = performance.now() - began
    wait = Math.min(longestPauseMs, Math.max(firstLookMs, took / shareOfTime))
  }
}
