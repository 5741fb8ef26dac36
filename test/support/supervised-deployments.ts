/**
 * A supervisor over a folder, with jobs that the test scripts.
 * @module
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { labelOf, type Identity } from '../../runtime/src/deployment/identity.ts'
import { deploymentName } from '../../runtime/src/supervisor/record/store.ts'
import { openRecordReserve } from '../../runtime/src/supervisor/record/record-reserve.ts'
import type { Patience } from '../../runtime/src/supervisor/run/patience.ts'
import { openSupervisor, type Supervisor } from '../../runtime/src/supervisor/supervisor.ts'
import type { DeploymentState } from '../../runtime/src/supervisor/summary.ts'
import { writeDeployment, type DeploymentFiles } from './deployment.ts'
import { recordingLog, type RecordingLog } from './recording-log.ts'
import { scriptedJobs, type ScriptedJobs } from './scripted-jobs.ts'

export const source = 'ab'.repeat(32)

export interface TestSupervisor extends AsyncDisposable {
  supervisor: Supervisor
  jobs: ScriptedJobs
  log: RecordingLog
  deployments: string
  /** The calls that import and forget keys. */
  keyCalls: string[]
  /** Writes a deployment's files and deploys them. */
  deploy(id: string, spec?: DeploySpec): Promise<string>
  /** Waits until a deployment has a state. */
  reach(id: string, state: DeploymentState): Promise<void>
  /** Text of a deployment's log, by stream. */
  logOf(id: string): Promise<string[]>
}

export interface DeploySpec extends Partial<DeploymentFiles> {
  replace?: boolean
  restartPolicy?: string
  /** Fields of the deployment file. */
  deployment?: object
}

/** The file that reserves disk space for a supervisor's records. */
export function reserveOf(folder: string): string {
  return join(folder, 'record-reserve')
}

/** A supervisor on `folder/deployments`; a second one continues the first one's deployments. */
export async function testSupervisor(folder: string, patience?: Patience): Promise<TestSupervisor> {
  const host = await startingSupervisor(folder, patience)
  await host.supervisor.recovered
  return host
}

/** One that has not continued the deployments of an earlier one yet. */
export async function startingSupervisor(
  folder: string,
  patience?: Patience,
): Promise<TestSupervisor> {
  const deployments = join(folder, 'deployments')
  await mkdir(deployments, { recursive: true })
  const [log, jobs] = [recordingLog(), scriptedJobs()]
  const keyCalls: string[] = []
  const noGrace = new AbortController()
  const supervisor = await openSupervisor({
    deployments,
    logs: { maxBytes: 1 << 20, maxFiles: 5 },
    reserve: await openRecordReserve(reserveOf(folder)),
    keys: {
      identify: (deployment) => identityOf(deployment.id ?? 'without'),
      importKeys: (deployment, { id }) => void keyCalls.push(`import ${id} ${deployment.keys}`),
      forgetKeys: ({ id }) => void keyCalls.push(`forget ${id}`),
    },
    execute: jobs.execute,
    noGrace: noGrace.signal,
    log: log.log,
    ...(patience && { patience }),
  })
  const deploy = async (id: string, { replace = false, ...spec }: DeploySpec = {}) => {
    const file = await write(join(folder, `files-${id}`), id, spec)
    await supervisor.deploy({ file, replace, allowLocalImages: false })
    return file
  }
  return {
    supervisor,
    jobs,
    log,
    deployments,
    keyCalls,
    deploy,
    reach: (id, state) => reach(supervisor, id, state),
    logOf: (id) => logOf(supervisor, id),
    [Symbol.asyncDispose]: () => supervisor.close(),
  }
}

export function identityOf(id: string): Identity {
  const processor = { account: new Uint8Array(32), address: '' }
  return { id, origin: { kind: 'Test', source }, processor }
}

/** Name of a deployment in the store. */
export function nameOf(id: string): string {
  return deploymentName(labelOf(identityOf(id)))
}

async function write(
  folder: string,
  id: string,
  { deployment, restartPolicy = 'no', ...spec }: DeploySpec,
): Promise<string> {
  return writeDeployment(folder, {
    image: { url: 'https://example.com/image.tar.xz', sha256: '0'.repeat(64) },
    manifest: { restartPolicy },
    ...spec,
    files: { 'job.sh': 'exit 0', ...spec.files },
    deployment: { id, ...deployment },
  })
}

async function reach(supervisor: Supervisor, id: string, state: DeploymentState): Promise<void> {
  const { feed, detail } = supervisor.watch(id)
  const gone = new AbortController()
  const events = feed.listen(gone.signal)
  try {
    while (detail().state !== state) {
      // Some changes have no event.
      await Promise.race([events.next(), new Promise((resolve) => setTimeout(resolve, 20))])
    }
  } finally {
    gone.abort()
  }
}

async function logOf(supervisor: Supervisor, id: string): Promise<string[]> {
  const texts: string[] = []
  for await (const lines of supervisor.watch(id).output.read({}, new AbortController().signal)) {
    for (const line of lines) {
      const { stream, text } = JSON.parse(line) as { stream: string; text: string }
      texts.push(`${stream}: ${text}`)
    }
  }
  return texts
}
