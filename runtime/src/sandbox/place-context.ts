/**
 * What all places of a sandbox have in common.
 * @module
 */
import type { SandboxSettings } from './settings.ts'
import type { Cgroups } from '../cgroup/cgroup.ts'
import type { Launchers } from './launcher/launchers.ts'
import type { Layers } from './layers.ts'
import type { Proot } from './proot/proot.ts'

export interface PlaceContext {
  settings: SandboxSettings
  layers: Layers
  proot?: Proot & { libraries: readonly string[] }
  cgroups: Cgroups
  /** Of this life of the host. */
  bootId: string
  launchers: Launchers
  /** Whether a job's layer can be given a file system of its own. */
  limitsStorage: boolean
}
