/**
 * What a job's program sees of the file system, and the command that shows it so.
 *
 * In namespaces the launcher builds a root without the host's files; there the job's root is `/`
 * itself, or `/job` for PRoot. Without them PRoot runs on the host's root, held in by Landlock.
 * @module
 */
import type { Bind, LaunchOptions } from '../launcher/launcher.ts'
import type { Layers } from '../layers.ts'
import type { Proot } from '../proot/proot.ts'

/** Host paths of one job. */
export interface JobPaths {
  /** The guest's root. */
  root: string
  /** Folder over which a root may be built. */
  stage: string
  /** Host path → guest path of our own files. */
  helpers: readonly Bind[]
  /** Shared memory of the job's own, for jobs that are not given one in memory. */
  shm: string
  /** An empty folder. */
  empty: string
}

/** What a launcher is told of it, and the program to run. */
export interface View {
  launch: Pick<LaunchOptions, 'stage' | 'landlock' | 'filter' | 'workFolder' | 'environment'>
  program: readonly [string, ...string[]]
}

export interface ViewOptions {
  layers: Layers
  /** Absent for the backend `namespaces`. */
  proot?: Proot & { libraries: readonly string[] }
  paths: JobPaths
  workFolder: string
  /** Guest path of the program that starts the job. */
  init: string
  /** Program that runs those of another machine. */
  emulator?: string
}

/** With a PRoot, for its backend. */
export type ProotViewOptions = ViewOptions & Required<Pick<ViewOptions, 'proot'>>
