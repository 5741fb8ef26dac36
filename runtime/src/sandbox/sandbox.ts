/**
 * The PRoot sandbox: what this host can do, and jobs inside it.
 * @module
 */
import { chmod, chown, copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { nativePaths, type Membership } from '@causeway/native'
import { StartError } from '../start-error.ts'
import { environmentBlock, jobEnvironment } from './environment.ts'
import { helperFolder } from './guest-files.ts'
import { startJob, type Job } from './job.ts'
import { launchCommand, probeLauncher, type LauncherProbe } from './launcher.ts'
import { privateTmp } from './proot-files.ts'
import { detectProot, prootArguments, prootEnvironment, type Proot } from './proot.ts'

const guestInit = `${helperFolder}/init`
const guestShim = `${helperFolder}/libcauseway-ifaddrs.so`

/** A job to start in a prepared root. */
export interface JobSpec {
  /** Host folder of the deployment; holds `root` and what is bound over it. */
  folder: string
  /** Host path of the guest's root. */
  root: string
  /** Host uid of the job; absent when the daemon can't change its own. */
  uid?: number
  workFolder: string
  /** Entrypoint and arguments, guest paths. */
  command: readonly string[]
  /** Declared by the deployment. */
  environment: Readonly<Record<string, string>>
  bridgeSocket: string
  /** Told whose calls to take before the job can make one. */
  admit: (membership: Membership) => void
  /** `loopback` preloads the getifaddrs shim. */
  interfaces: 'host' | 'loopback'
}

export interface Sandbox {
  readonly proot: Proot
  /** For people: layers of confinement that this host does not allow. */
  readonly warnings: readonly string[]
  start(job: JobSpec): Promise<Job>
}

/** Looks at the host once. @throws StartError SANDBOX_UNAVAILABLE */
export async function openSandbox(prootProgram: string): Promise<Sandbox> {
  const [proot, probe] = await Promise.all([detectProot(prootProgram), probeLauncher()])
  const warnings = missingLayers(probe)
  const start = async (job: JobSpec) => {
    const binds = [...(await placeHelpers(job)), await placeSharedMemory(job)]
    const tmp = probe.namespaces ? await privateTmp(job.folder, job.uid) : undefined
    const launch = launchCommand({
      ...(job.uid !== undefined && { uid: job.uid }),
      ...(tmp !== undefined && { tmp }),
      namespaces: probe.namespaces,
      hideStatx: proot.missesStatx,
      environment: prootEnvironment(proot),
    })
    const view = prootArguments({
      root: job.root,
      workFolder: job.workFolder,
      ownTerminals: probe.namespaces,
      binds,
    })
    return startJob({
      entrypoint: job.command.join(' '),
      command: [...launch, proot.program, ...view, guestInit, ...job.command],
      ...(job.uid !== undefined && { uid: job.uid }),
      environment: environmentBlock(environmentOf(job)),
      onTraced: (pid) => job.admit(membership(job, pid, probe)),
    })
  }
  return { proot, warnings, start }
}

/**
 * A PID namespace is the job's alone and dies with its tracer; only root and the user who made it
 * can enter it. Without one the tracer is what the job's processes have in common.
 */
function membership(
  { uid }: JobSpec,
  tracerPid: number,
  { namespaces }: LauncherProbe,
): Membership {
  const by = namespaces ? 'pid-namespace' : 'tracer'
  return { by, uid: uid ?? process.getuid?.() ?? 0, pid: tracerPid }
}

// From this version on Landlock keeps the job's signals off its tracer (kernel 6.12).
const landlockWithScopes = 6

/** @throws StartError when the layer that makes PRoot's view whole is missing */
function missingLayers(probe: LauncherProbe): string[] {
  if (!probe.seccomp) {
    throw new StartError(
      'SANDBOX_UNAVAILABLE',
      'this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)',
    )
  }
  if (probe.namespaces) return []
  const ending = `no namespaces for jobs (${probe.namespacesError}): their processes are ended one by one`
  return probe.landlockAbi >= landlockWithScopes
    ? [ending]
    : [
        `${ending}, and without Landlock scopes a job can kill its tracer and see the host's files as its uid`,
      ]
}

function environmentOf(job: JobSpec): Record<string, string> {
  const preload = job.interfaces === 'loopback' ? guestShim : undefined
  return jobEnvironment(job.environment, { BRIDGE_SOCKET: job.bridgeSocket }, preload)
}

/** Copies what the guest executes to where its uid can reach it; our own folder may be closed. */
async function placeHelpers({ folder }: JobSpec): Promise<[string, string][]> {
  const helpers = join(folder, 'helpers')
  await mkdir(helpers, { recursive: true })
  // Exactly, whatever the umask of the daemon or of the build.
  await chmod(helpers, 0o755)
  const place = async (source: string, guest: string): Promise<[string, string]> => {
    const copy = join(helpers, guest.slice(guest.lastIndexOf('/') + 1))
    await copyFile(source, copy)
    await chmod(copy, 0o755)
    return [copy, guest]
  }
  return Promise.all([
    place(nativePaths.guestInit, guestInit),
    place(nativePaths.ifaddrsShim, guestShim),
  ])
}

/** Shared memory of the job's own: the host's would be common to all jobs. */
async function placeSharedMemory({ folder, uid }: JobSpec): Promise<[string, string]> {
  const path = join(folder, 'shm')
  await mkdir(path, { recursive: true })
  await chmod(path, 0o1777)
  if (uid !== undefined) await chown(path, uid, uid)
  return [path, '/dev/shm']
}
