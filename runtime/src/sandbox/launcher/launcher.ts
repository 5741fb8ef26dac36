/**
 * Probes what the program `bridge-launch` can do on this host, and builds its command line.
 * @module
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { nativePaths } from '@causeway/native'
import * as v from 'valibot'
import { StartError } from '../../errors/start-error.ts'

const run = promisify(execFile)

const probeReport = v.object({
  namespaces: v.boolean(),
  namespacesError: v.nullable(v.string()),
  landlockAbi: v.number(),
  seccomp: v.boolean(),
  /** Whether an ordinary user's program can install a system-call filter now. */
  filters: v.boolean(),
})

/** Layers of confinement that this host's kernel allows the launcher. */
export type LauncherProbe = v.InferOutput<typeof probeReport>

/** Asks the launcher which layers work on this host. @throws StartError SANDBOX_UNAVAILABLE */
export async function probeLauncher(): Promise<LauncherProbe> {
  try {
    const { stdout } = await run(nativePaths.launcher, ['--probe'], { env: {} })
    return v.parse(probeReport, JSON.parse(stdout))
  } catch (cause) {
    throw new StartError(
      'SANDBOX_UNAVAILABLE',
      `${nativePaths.launcher}: ${(cause as Error).message}; build it with: npm run build:native`,
      { cause },
    )
  }
}

/** A bind mount: host path → path in the job's root or stage, where it is read-only. */
export type Bind = readonly [host: string, target: string]

/** A layer that is left out is not enforced; native/src/launch/main.c says what each one stops. */
export interface LaunchOptions {
  /** Uid and gid of the job, or the first of 65,536 for a user namespace; absent: our own. */
  identity?: { uid: number } | { range: number }
  /** New mount, PID, IPC and UTS namespaces. */
  namespaces: boolean
  /** The job's root: a plain folder, or the mount point of an overlay. */
  root?: {
    folder: string
    overlay?: {
      lower: string
      upper: string
      work: string
      /** Uid that owns the files of `lower` on disk, when that is not the job's. */
      lowerOwner?: number
      /** File system image, and its mount point, in which `upper` and `work` lie. */
      storage?: { file: string; folder: string }
    }
  }
  /** A root without the host's files: the job's own (`pivot`), or one for a tracer, with `/job`. */
  stage?: { folder: string; pivot: boolean; binds: readonly Bind[] }
  /** Path of the network namespace to enter; absent: the host's. */
  network?: string
  limits: { processes?: number; files?: number; fileBytes?: number }
  /** Number of the CPU to which the job is pinned. */
  cpu?: number
  /** Paths that the launched program may use, in the root in which it runs. */
  landlock?: { read: readonly string[]; execute: readonly string[]; write: readonly string[] }
  filter?: 'plain' | 'traced' | 'traced-no-statx'
  /** Whether the launched program installs a system-call filter of its own. */
  filtersMore?: boolean
  workFolder?: string
  /** Environment of the launched program, never the job's. */
  environment: Readonly<Record<string, string>>
}

/**
 * The launcher's command line up to the options of a launch.
 * @param cgroups folders of control groups to join
 */
export function launcherCommand(cgroups: readonly string[]): [string, ...string[]] {
  return [
    nativePaths.launcher,
    '--control',
    ...option('--parent', process.pid),
    ...each('--cgroup', cgroups),
  ]
}

/**
 * Options of a spare launcher: the steps that need no job.
 * @param layer where to mount the file system image whose descriptor the launcher inherits
 */
export function spareOptions(
  { namespaces, pivots }: { namespaces: boolean; pivots: boolean },
  layer: { folder: string; upper: string; work: string } | undefined,
): string[] {
  if (!namespaces) return ['--spare']
  return [
    '--spare',
    '--namespaces',
    ...(pivots ? ['--pivot'] : []),
    ...option('--spare-storage', layer?.folder),
    ...option('--upper', layer?.upper),
    ...option('--work', layer?.work),
  ]
}

/** The options of a launch, up to the program to execute. */
export function launchOptions(options: LaunchOptions): string[] {
  const { namespaces, cpu, filter, filtersMore, workFolder, environment } = options
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return [
    ...identityOptions(options),
    ...(namespaces ? ['--namespaces'] : []),
    ...option('--network', options.network),
    ...rootOptions(options),
    ...stageOptions(options),
    ...limitOptions(options),
    ...option('--cpu', cpu),
    ...landlockOptions(options),
    ...option('--filter', filter),
    ...(filtersMore ? ['--filters-more'] : []),
    ...option('--work-folder', workFolder),
    ...each('--env', variables),
    '--',
  ]
}

function option(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [name, String(value)]
}

function each(name: string, values: readonly string[]): string[] {
  return values.flatMap((value) => [name, value])
}

function identityOptions({ identity }: LaunchOptions): string[] {
  if (!identity) return []
  if ('range' in identity) return option('--range', identity.range)
  return [...option('--uid', identity.uid), ...option('--gid', identity.uid)]
}

function rootOptions({ root }: LaunchOptions): string[] {
  const overlay = root?.overlay
  return [
    ...option('--root', root?.folder),
    ...option('--lower', overlay?.lower),
    ...option('--upper', overlay?.upper),
    ...option('--work', overlay?.work),
    ...option('--lower-owner', overlay?.lowerOwner),
    ...option('--storage', overlay?.storage && `${overlay.storage.file}:${overlay.storage.folder}`),
  ]
}

function stageOptions({ stage }: LaunchOptions): string[] {
  if (!stage) return []
  const binds = stage.binds.map(([host, target]) => `${host}:${target}`)
  return [
    ...option('--stage', stage.folder),
    ...(stage.pivot ? ['--pivot'] : []),
    ...each('--bind', binds),
  ]
}

function limitOptions({ limits }: LaunchOptions): string[] {
  return [
    ...option('--max-processes', limits.processes),
    ...option('--max-files', limits.files),
    ...option('--max-file-bytes', limits.fileBytes),
  ]
}

function landlockOptions({ landlock }: LaunchOptions): string[] {
  if (!landlock) return []
  return [
    '--landlock',
    ...each('--read', landlock.read),
    ...each('--execute', landlock.execute),
    ...each('--write', landlock.write),
  ]
}
