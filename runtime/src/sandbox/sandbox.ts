/**
 * The sandbox of this host: chooses its layers, tests them by a canary, and reserves jobs' places.
 * @module
 */
import { nativePaths } from '@causeway/native'
import type { SandboxSettings } from './settings.ts'
import { passes } from '../errors/host-fault.ts'
import type { Shortfall } from '../errors/shortfall.ts'
import { StartError } from '../errors/start-error.ts'
import { inSpareFolder } from '../state/host-folder.ts'
import { isRoot } from '../state/state-folders.ts'
import { runCanary } from './canary.ts'
import { openCgroups, type Cgroups } from '../cgroup/cgroup.ts'
import { probeLauncher } from './launcher/launcher.ts'
import { createLaunchers } from './launcher/launchers.ts'
import { chooseLayers, describeLayers, missingLayers, weakerRoot, type Layers } from './layers.ts'
import type { PlaceContext } from './place-context.ts'
import { readBootId } from './place-note.ts'
import { reservePlace, type Place, type PlaceOptions } from './place.ts'
import { detectProot, librariesOf } from './proot/proot.ts'
import { memoryRemedy } from './remedies.ts'
import { canLimitStorage } from './storage/storage.ts'

export interface Sandbox {
  readonly layers: Layers
  /** For people: backend and layers. */
  readonly name: string
  /** What is not enforced here. */
  readonly missing: { layers: readonly Shortfall[]; limits: readonly Shortfall[] }
  /** How each limit of jobs is enforced. */
  readonly limits: {
    memory: 'control group' | 'not limited'
    processes: 'control group' | 'RLIMIT_NPROC'
    storage: 'file system' | 'counted'
  }
  reserve(options: PlaceOptions): Place
  /** Keeps a launcher and a file system ready, so that jobs start sooner. */
  keepSpare(): void
  close(): Promise<void>
}

interface SandboxOptions {
  sweeps?: boolean
  onWarning?: (message: string) => void
  shared?: string
}

/**
 * Probes the host once, and runs a canary.
 * @param folder where jobs have their folders
 * @param options `sweeps`: first ends the processes that jobs of dead daemons have left running;
 *   `onWarning`: called with what cannot be ended, now and later; `shared`: replaces the folder
 *   that all daemons of this host share, for spare launchers
 * @throws StartError SANDBOX_UNAVAILABLE
 */
export async function openSandbox(
  settings: SandboxSettings,
  folder: string,
  { sweeps = false, onWarning, shared }: SandboxOptions = {},
): Promise<Sandbox> {
  checkPlace()
  const probe = await probeLauncher()
  const wanted = chooseLayers(settings, probe, isRoot())
  const looked = await contextOf(settings, wanted, folder, openCgroups(onWarning && { onWarning }))
  // Before the canary, which may get the ids of a job that nobody has ended yet.
  if (sweeps) await looked.cgroups.sweep()
  const context = await proven(looked, folder)
  const { layers, proot, launchers } = context
  return {
    layers,
    name: describeLayers(layers, proot),
    missing: {
      layers: missingLayers(layers, probe),
      limits: missingLimits(context.cgroups, layers.ownIds),
    },
    limits: limitsHere(context),
    reserve: (options) => reservePlace(context, options),
    keepSpare() {
      launchers.keepSpare({
        namespaces: layers.namespaces,
        pivots: layers.backend === 'namespaces',
        ...(context.limitsStorage && { storageFolder: folder }),
        storageBytes: settings.storageBytes,
        ...(shared !== undefined && { shared }),
      })
    },
    close: () => launchers.close(),
  }
}

/** A colon ends a path in the options of the launcher and of PRoot. */
function checkPlace(): void {
  const { guestInit } = nativePaths
  if (!guestInit.includes(':')) return
  throw new StartError('SANDBOX_UNAVAILABLE', `${guestInit}: expected a path without ":"`)
}

async function contextOf(
  settings: SandboxSettings,
  layers: Layers,
  folder: string,
  cgroups: Cgroups,
): Promise<PlaceContext> {
  const proot = layers.backend === 'proot' ? await detectProot(settings.proot) : undefined
  return {
    settings,
    layers,
    ...(proot && { proot: { ...proot, libraries: await librariesOf(proot.program) } }),
    cgroups,
    bootId: readBootId(),
    launchers: createLaunchers(cgroups),
    limitsStorage: layers.root === 'overlay' && (await canLimitStorage(folder)),
  }
}

/** The given context, or the first weaker one with which the canary succeeds. */
async function proven(context: PlaceContext, folder: string): Promise<PlaceContext> {
  try {
    await runCanary(context, folder)
    return context
  } catch (error) {
    // A full disk says nothing about the layers: it must not weaken them for all jobs.
    if (passes(error) && (await holdsInNeed(context, folder))) return context
    const weaker = weakerContext(context)
    if (!weaker || !(error instanceof StartError)) throw error
    // The first error is the one that says what is wrong with this host.
    return proven(weaker, folder).catch(() => Promise.reject(error))
  }
}

/**
 * Whether the canary succeeds with what a full disk allows: without a file system of its own, or
 * elsewhere.
 */
async function holdsInNeed(context: PlaceContext, folder: string): Promise<boolean> {
  const plain = { ...context, limitsStorage: false }
  const tries = [
    () => runCanary(plain, folder),
    () => inSpareFolder((other) => runCanary(plain, other)),
  ]
  for (const run of tries) {
    const isGood = await run().then(
      () => true,
      () => false,
    )
    if (isGood) return true
  }
  return false
}

/** Gives up jobs' file systems first (a container may lack loop devices), then weakens the root. */
function weakerContext(context: PlaceContext): PlaceContext | undefined {
  if (context.limitsStorage) return { ...context, limitsStorage: false }
  const layers = weakerRoot(context.layers)
  return layers && { ...context, layers }
}

function limitsHere({ cgroups, limitsStorage }: PlaceContext): Sandbox['limits'] {
  return {
    memory: cgroups.controllers.has('memory') ? 'control group' : 'not limited',
    processes: cgroups.controllers.has('pids') ? 'control group' : 'RLIMIT_NPROC',
    storage: limitsStorage ? 'file system' : 'counted',
  }
}

function missingLimits(cgroups: Cgroups, isRoot: boolean): Shortfall[] {
  if (cgroups.controllers.has('memory')) return []
  const text = 'no memory control group for jobs here: their memory is not limited'
  return [{ text, remedy: memoryRemedy(cgroups, isRoot) }]
}
