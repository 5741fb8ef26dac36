/**
 * Which layers of confinement hold on this host, in the order in which they are given up.
 *
 * | what is missing            | what is used instead                                      |
 * | -------------------------- | --------------------------------------------------------- |
 * | root                       | the user's own uid, in a user namespace                    |
 * | overlays                   | a copy of the image (by reference where the disk can)      |
 * | namespaces                 | PRoot with Landlock and the filter, on the host's root     |
 * | Landlock, too              | PRoot and the filter: refused unless `sandbox.insecure`    |
 * | system call filters        | nothing: refused                                           |
 * @module
 */
import type { SandboxSettings } from './settings.ts'
import { StartError } from '../errors/start-error.ts'
import type { LauncherProbe } from './launcher/launcher.ts'
import type { Proot } from './proot/proot.ts'

export type Backend = 'proot' | 'namespaces'

/** What stands between a job and its host. */
export interface Layers {
  backend: Backend
  /** A uid (or 65,536 of them) that is the job's alone. */
  ownIds: boolean
  /** Namespaces, and in them a root without the host's files. */
  namespaces: boolean
  /** Where the job's root comes from. */
  root: 'overlay' | 'copy'
  /** The image belongs to one user and is shown as the job's. */
  shiftsIds: boolean
  landlock: boolean
}

// The first version forbids every rename across folders, which package managers need (kernel 5.19).
const landlockWithRenames = 2
// From this version on Landlock keeps the job's signals off its tracer (kernel 6.12).
const landlockWithScopes = 6

/** @throws StartError SANDBOX_UNAVAILABLE when too little is left, with what to do about it */
export function chooseLayers(
  { backend: setting, insecure }: SandboxSettings,
  probe: LauncherProbe,
  isRoot: boolean,
): Layers {
  if (!probe.seccomp) {
    throw unavailable('this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)')
  }
  if (setting === 'namespaces' && !probe.namespaces) {
    throw unavailable(`sandbox.backend = "namespaces": none here (${probe.namespacesError})`)
  }
  if (!probe.namespaces && probe.landlockAbi < landlockWithRenames && !insecure) {
    throw unavailable(
      `neither namespaces (${probe.namespacesError}) nor Landlock here: PRoot alone keeps no job from your files; set sandbox.insecure = true to run them all the same`,
    )
  }
  // Without root there is one id only, and a package manager needs more: PRoot pretends them.
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

/** The next weaker way to a root, for kernels or disks that cannot do the one that was tried. */
export function weakerRoot(layers: Layers): Layers | undefined {
  if (layers.shiftsIds) return { ...layers, shiftsIds: false }
  return layers.root === 'overlay' ? { ...layers, root: 'copy' } : undefined
}

/** For people: what each layer that is missing means. */
export function missingLayers(layers: Layers, probe: LauncherProbe): string[] {
  const { namespaces, landlock, root } = layers
  return [
    ...(namespaces
      ? []
      : [`no namespaces for jobs (${probe.namespacesError}): ${withoutNamespaces(probe)}`]),
    ...(landlock || namespaces ? [] : ['no Landlock: a job can read what its uid can read']),
    ...(namespaces && root === 'copy'
      ? ['no overlays: each job starts with a copy of its image']
      : []),
  ]
}

function withoutNamespaces({ landlockAbi }: LauncherProbe): string {
  const ending =
    'their processes are ended one by one, and a job can use files below /tmp and Unix sockets that its uid may use'
  return landlockAbi >= landlockWithScopes
    ? ending
    : `${ending}, and a job can kill its tracer and see the host's files as its uid`
}

/** In a few words, for `doctor`, `inspect` and the start. */
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

function unavailable(message: string): StartError {
  return new StartError('SANDBOX_UNAVAILABLE', message)
}
