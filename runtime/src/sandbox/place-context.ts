/** What all places of a sandbox share: settings, layers, control groups and launchers. @module */
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
  /** The host's boot id, another one after each restart. */
  bootId: string
  launchers: Launchers
  /** Whether each job's layer gets a file system of its own. */
  limitsStorage: boolean
}
