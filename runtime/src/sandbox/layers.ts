/**
 * Chooses the layers of confinement for this host, and describes the missing ones. The section
 * "Where a layer is missing" of runtime/docs/sandbox.md lists what replaces each layer.
 * @module
 */
import type { SandboxSettings } from './settings.ts'
import type { Shortfall } from '../errors/shortfall.ts'
import { StartError } from '../errors/start-error.ts'
import type { LauncherProbe } from './launcher/launcher.ts'
import type { Proot } from './proot/proot.ts'
import { landlockRemedy, namespacesRemedy, overlaysRemedy } from './remedies.ts'

export type Backend = 'proot' | 'namespaces'

/** The layers between a job and its host. */
export interface Layers {
  backend: Backend
  /** Whether the job has a uid, or 65,536, of its own. */
  ownIds: boolean
  /** Whether the job has namespaces, and in them a root without the host's files. */
  namespaces: boolean
  /** How the job's root is made from the image. */
  root: 'overlay' | 'copy'
  /** Whether one user owns the image, and an id-mapped mount shows it as the job's. */
  shiftsIds: boolean
  landlock: boolean
}

// Version 1 forbids every rename across folders, which package managers need (kernel 5.19).
const landlockWithRenames = 2
// From this version on Landlock blocks the job's signals to its tracer (kernel 6.12).
const landlockWithScopes = 6

/** @throws StartError SANDBOX_UNAVAILABLE when too many layers are missing, with what to do */
export function chooseLayers(
  { backend: setting, insecure }: SandboxSettings,
  probe: LauncherProbe,
  isRoot: boolean,
): Layers {
  if (!probe.seccomp) {
    const text = 'this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)'
    throw unavailable(text, 'take a kernel with seccomp filters')
  }
  if (setting === 'namespaces' && !probe.namespaces) {
    const text = `sandbox.backend = "namespaces": none here (${probe.namespacesError})`
    throw unavailable(text, namespacesRemedy(isRoot))
  }
  if (!probe.namespaces && probe.landlockAbi < landlockWithRenames && !insecure) {
    throw unavailable(
      `this host has neither namespaces (${probe.namespacesError}) nor Landlock: PRoot alone does not keep jobs from your files; to run them anyway, set sandbox.insecure = true`,
      `${namespacesRemedy(isRoot)}; or ${landlockRemedy}`,
    )
  }
  // Without root there is only one id, but package managers need more: PRoot fakes them.
  const backend =
    setting === 'auto' ? (probe.namespaces && isRoot ? 'namespaces' : 'proot') : setting
  return {
    backend,
    ownIds: isRoot,
    namespaces: probe.namespaces,
    root: probe.namespaces ? 'overlay' : 'copy',
    shiftsIds: probe.namespaces && isRoot,
    landlock: backend === 'proot' && probe.landlockAbi >= landlockWithRenames,
  }
}

/** The next weaker way to make a root, for kernels or disks that cannot do the one tried. */
export function weakerRoot(layers: Layers): Layers | undefined {
  if (layers.shiftsIds) return { ...layers, shiftsIds: false }
  return layers.root === 'overlay' ? { ...layers, root: 'copy' } : undefined
}

/** What each missing layer means. */
export function missingLayers(layers: Layers, probe: LauncherProbe): Shortfall[] {
  const { namespaces, landlock, root, ownIds } = layers
  if (namespaces) return root === 'copy' ? [noOverlays] : []
  const text = `no namespaces for jobs (${probe.namespacesError}): ${withoutNamespaces(probe)}`
  const noNamespaces = { text, remedy: namespacesRemedy(ownIds) }
  return landlock ? [noNamespaces] : [noNamespaces, noLandlock]
}

const noOverlays: Shortfall = {
  text: 'no overlays: each job starts with a copy of its image',
  remedy: overlaysRemedy,
}

const noLandlock: Shortfall = {
  text: 'no Landlock: a job can read what its uid can read',
  remedy: landlockRemedy,
}

function withoutNamespaces({ landlockAbi }: LauncherProbe): string {
  const ending =
    'their processes are ended one by one, and a job can use files below /tmp and Unix sockets that its uid may use'
  return landlockAbi >= landlockWithScopes
    ? ending
    : `${ending}, and a job can kill its tracer and see the host's files as its uid`
}

/** Names the layers in a few words, for `doctor`, `inspect` and the start. */
export function describeLayers(
  { backend, namespaces, root, ownIds, landlock }: Layers,
  proot: Proot | undefined,
): string {
  const name = backend === 'proot' ? `PRoot ${proot?.version ?? ''}`.trim() : 'namespaces'
  const parts = [
    ownIds ? (backend === 'proot' ? 'own uid' : 'own 65,536 uids') : 'your uid',
    ...(backend === 'proot' && namespaces ? ['namespaces'] : []),
    ...(landlock ? ['Landlock'] : []),
    'seccomp',
    root,
  ]
  return `${name} (${parts.join(', ')})`
}

function unavailable(message: string, remedy: string): StartError {
  return new StartError('SANDBOX_UNAVAILABLE', message, { remedy })
}
