/**
 * `bridge-launch`: what it can do on this host, and its command line.
 * @module
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { nativePaths } from '@causeway/native'
import * as v from 'valibot'
import { StartError } from '../start-error.ts'

const run = promisify(execFile)

const probeReport = v.object({
  namespaces: v.boolean(),
  namespacesError: v.nullable(v.string()),
  landlockAbi: v.number(),
  seccomp: v.boolean(),
})

/** Layers of confinement that this host's kernel allows the launcher. */
export type LauncherProbe = v.InferOutput<typeof probeReport>

/** Asks the launcher what it may do here. @throws StartError SANDBOX_UNAVAILABLE */
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

export interface LaunchOptions {
  /** Host uid and gid of the job; absent when the daemon can't change its own. */
  uid?: number
  /** New mount, PID and IPC namespaces. */
  namespaces: boolean
  /** Folder to show as `/tmp`, where PRoot leaves files; only with namespaces. */
  tmp?: string
  /** Answer ENOSYS to statx, which this PRoot would not translate. */
  hideStatx: boolean
  /** PRoot's own environment. */
  environment: Readonly<Record<string, string>>
}

/** The launcher's command line up to the program that it executes. */
export function launchCommand(options: LaunchOptions): [string, ...string[]] {
  const { uid, namespaces, tmp, hideStatx, environment } = options
  return [
    nativePaths.launcher,
    '--parent',
    String(process.pid),
    ...(uid === undefined ? [] : ['--uid', String(uid), '--gid', String(uid)]),
    ...(namespaces ? ['--namespaces'] : []),
    ...(tmp === undefined ? [] : ['--tmp', tmp]),
    ...(hideStatx ? ['--hide-statx'] : []),
    ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    '--',
  ]
}
