/** Runs the job of an execution, and restarts it as its restart policy says. @module */
import { setTimeout as pause } from 'node:timers/promises'
import { orUndo } from '@causeway/service/failure'
import { attendJob } from './attend-job.ts'
import type { OpenBridge } from '../host/bridge.ts'
import type { ExecutionRequest } from './contract/request.ts'
import { restartsAfter } from './contract/restart-policy.ts'
import type { Host } from '../host/host.ts'
import type { JobNetwork } from '../job-network/contract.ts'
import { prepareRoot, type RootParts } from './prepare-root.ts'
import { jobEnvironment } from '../sandbox/root/environment.ts'
import type { JobExit } from '../sandbox/exit.ts'
import { guestShim } from '../sandbox/root/guest-programs.ts'
import type { Job } from '../sandbox/job.ts'
import type { MountedJob } from '../sandbox/mounted-job.ts'
import type { Place } from '../sandbox/place.ts'

/** Parts that every attempt uses. */
export interface AttemptParts extends RootParts {
  host: Host
  request: ExecutionRequest
  place: Place
  network: JobNetwork
  bridge: OpenBridge
}

const firstDelayMs = 1_000

/** @throws ImageError, StartError or the signal's reason, when no job was started */
export async function runAttempts(parts: AttemptParts): Promise<JobExit> {
  const { request, manifest } = parts
  const { onEvent, signal, firstAttempt } = request
  for (let count = 0; ; count++) {
    const attempt = firstAttempt + count
    const restarts = request.restarts + count
    const exit = await runOnce(parts, attempt)
    onEvent({ type: 'attempt-ended', attempt, exit })
    if (signal.aborted || !restartsAfter(manifest.restartPolicy, exit, restarts)) return exit
    const delayMs = firstDelayMs * 2 ** restarts
    if ((request.deadline ?? Infinity) <= Date.now() + delayMs) return exit
    onEvent({ type: 'restarting', attempt: attempt + 1, delayMs })
    await pause(delayMs, undefined, { signal }).catch(() => {}) // aborted: handled below
    if (signal.aborted) return exit
  }
}

async function runOnce(parts: AttemptParts, attempt: number): Promise<JobExit> {
  const { host, request, place, network } = parts
  request.signal.throwIfAborted()
  const { mounted, command } = await prepareRoot(parts)
  const run = async () => {
    await network.attach(mounted.groups)
    request.signal.throwIfAborted()
    const { name: sandbox } = host.sandbox
    const started = { type: 'job-started', attempt, uid: place.uid, sandbox, command } as const
    return attendJob(start(parts, mounted, command), {
      request,
      started,
      graceMs: host.config.sandbox.stopGraceMs,
    })
  }
  return orUndo(run, () => mounted.cancel())
}

function start(
  { bridge, request: { loaded } }: AttemptParts,
  mounted: MountedJob,
  command: readonly string[],
): Job {
  const { environment, interfaces } = loaded.deployment
  const preload = interfaces === 'loopback' ? guestShim : undefined
  return mounted.start({
    command,
    environment: jobEnvironment(environment, { BRIDGE_SOCKET: bridge.socket }, preload),
    admit: (membership) => bridge.admit(membership),
  })
}
