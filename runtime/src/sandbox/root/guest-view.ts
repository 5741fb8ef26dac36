/**
 * Types of the file system that a job sees, and of the command that shows it. In namespaces the
 * launcher builds it, /dev in native/src/launch/root/devices.c; else proot/on-host does.
 * @module
 */
import type { Bind, LaunchOptions } from '../launcher/launcher.ts'
import type { Layers } from '../layers.ts'
import type { Proot } from '../proot/proot.ts'

/** Host paths of one job. */
export interface JobPaths {
  /** The guest's root. */
  root: string
  /** Mount point for a root that the launcher builds. */
  stage: string
  /** Host path → guest path of our own files. */
  helpers: readonly Bind[]
  /** Folder for the job's /dev/shm, where the launcher mounts none in memory. */
  shm: string
  /** An empty folder. */
  empty: string
}

/** The launcher's options for the view, and the program to run. */
export interface View {
  launch: Pick<
    LaunchOptions,
    'stage' | 'landlock' | 'filter' | 'filtersMore' | 'workFolder' | 'environment'
  >
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
  /** Emulator for programs of another machine. */
  emulator?: string
}

/** Options for the backend `proot`, which needs a PRoot. */
export type ProotViewOptions = ViewOptions & Required<Pick<ViewOptions, 'proot'>>
