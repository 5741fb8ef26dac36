/**
 * What a job's program sees of the file system, and the command that shows it so.
 *
 * In namespaces the launcher builds a root without the host's files; there the job's root is `/`
 * itself, or `/job` for PRoot. Without them PRoot runs on the host's root, held in by Landlock.
 * @module
 */
import { existsSync, realpathSync } from 'node:fs'
import type { Bind, LaunchOptions } from './launcher.ts'
import type { Layers } from './layers.ts'
import { prootArguments, prootEnvironment, type Proot } from './proot.ts'

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

export function jobView(options: ViewOptions): View {
  const { layers, proot } = options
  if (layers.backend === 'namespaces') return ownRoot(options)
  if (!proot) throw new TypeError('expected a PRoot for the backend proot')
  return layers.namespaces ? staged({ ...options, proot }) : onHostRoot({ ...options, proot })
}

function ownRoot({ paths, workFolder, init }: ViewOptions): View {
  return {
    launch: {
      stage: { folder: paths.stage, pivot: true, binds: paths.helpers },
      filter: 'plain',
      workFolder,
      environment: {},
    },
    program: [init],
  }
}

type WithProot = ViewOptions & Required<Pick<ViewOptions, 'proot'>>

const stagedJob = '/job'
const stagedProot = '/proot'
const stagedHelpers = '/helpers'
const stagedEmpty = '/empty'

function staged(options: WithProot): View {
  const { proot, paths, layers, init, emulator } = options
  const place = (guest: string) => `${stagedHelpers}/${guest.slice(guest.lastIndexOf('/') + 1)}`
  const view = {
    root: stagedJob,
    workFolder: options.workFolder,
    binds: [
      ...same(['/dev', '/proc', '/sys']),
      ...paths.helpers.map(([, guest]) => [place(guest), guest] as const),
      ...emulatorBinds(emulator, stagedEmpty),
    ],
  }
  return {
    launch: {
      ...traced(proot),
      stage: {
        folder: paths.stage,
        pivot: false,
        binds: [
          [proot.program, stagedProot],
          ...same(proot.libraries),
          ...paths.helpers.map(([host, guest]) => [host, place(guest)] as const),
          ...(emulator === undefined
            ? []
            : [...same([emulator]), [paths.empty, stagedEmpty] as const]),
        ],
      },
      ...(layers.landlock && {
        landlock: {
          read: [],
          execute: ['/'],
          write: [stagedJob, '/proc', '/dev', '/tmp'],
        },
      }),
    },
    program: [stagedProot, ...emulatorOptions(emulator), ...prootArguments(view), init],
  }
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)
// PRoot 5.1.0 writes its loader there and executes it, whatever TMPDIR says.
const hostTmp = '/tmp'

function onHostRoot(options: WithProot): View {
  const { proot, paths, layers, init, emulator } = options
  const view = {
    root: paths.root,
    workFolder: options.workFolder,
    binds: [
      ...same([...devices, '/proc', '/sys']),
      [paths.shm, '/dev/shm'] as const,
      ...paths.helpers,
      ...emulatorBinds(emulator, paths.empty),
    ],
  }
  const emulators = emulator === undefined ? [] : [emulator]
  const helpers = paths.helpers.map(([host]) => host)
  return {
    launch: {
      ...traced(proot),
      ...(layers.landlock && {
        landlock: {
          read: there(['/sys', '/etc/ld.so.cache']),
          execute: [
            proot.program,
            ...proot.libraries.map((path) => realpathSync(path)),
            ...helpers,
            ...emulators,
          ],
          write: [paths.root, paths.shm, '/proc', ...devices, hostTmp],
        },
      }),
    },
    program: [proot.program, ...emulatorOptions(emulator), ...prootArguments(view), init],
  }
}

function emulatorOptions(emulator: string | undefined): string[] {
  return emulator === undefined ? [] : ['-q', emulator]
}

// Where PRoot shows all of its own root once it has an emulator.
const prootDoor = '/host-rootfs'

/** After `-q` on the command line, these put an empty folder with nothing but the emulator there. */
function emulatorBinds(emulator: string | undefined, empty: string): Bind[] {
  if (emulator === undefined) return []
  return [
    [empty, prootDoor],
    [emulator, `${prootDoor}${emulator}`],
  ]
}

function traced(proot: Proot): Pick<View['launch'], 'filter' | 'environment'> {
  return {
    filter: proot.missesStatx ? 'traced-no-statx' : 'traced',
    environment: prootEnvironment(proot),
  }
}

function same(paths: readonly string[]): Bind[] {
  return paths.map((path) => [path, path])
}

function there(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path))
}
