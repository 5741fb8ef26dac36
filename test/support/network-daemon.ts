/**
 * A daemon in a lab, with jobs that use their network.
 * @module
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readyDaemon, type DaemonProcess } from './daemon.ts'
import { writeDeployment } from './deployment.ts'
import { openNetworkLab, type NetworkLab } from './network-lab.ts'
import { answersOf, type Answer } from './network-probe.ts'

export interface JobParts {
  /** A folder that every user may read. */
  folder: string
  image: { url: string; sha256: string }
  /** The compiled probe. */
  probe: Buffer
}

/** A job's commands for the probe, each after its label. */
export type Commands = readonly string[]

export interface Jobs {
  /** Starts a job of these commands; resolves when it has begun. */
  start(id: string, commands: Commands, deployment?: object): Promise<void>
  /** The job's answers so far. */
  answers(id: string): Promise<Map<string, Answer[]>>
  /** Waits until the job has printed that many answers, and returns the last one. */
  answer(id: string, label: string, count?: number): Promise<Answer>
  /** Runs a job to its end. */
  run(id: string, commands: Commands, deployment?: object): Promise<Map<string, Answer[]>>
  remove(id: string): Promise<void>
}

export interface LabDaemon extends Jobs, AsyncDisposable {
  lab: NetworkLab
  daemon: DaemonProcess
  /** Its state folder. */
  state: string
}

let count = 0

/** @param config the operator's configuration (TOML) */
export async function openLabDaemon(parts: JobParts, config: string): Promise<LabDaemon> {
  const lab = await openNetworkLab()
  try {
    const state = newState(parts)
    const daemon = await daemonIn(lab, state, config)
    const close = async () => {
      await daemon.stop()
      await lab[Symbol.asyncDispose]()
    }
    return { lab, daemon, state, ...jobsOf(daemon, parts), [Symbol.asyncDispose]: close }
  } catch (error) {
    await lab[Symbol.asyncDispose]()
    throw error
  }
}

export const newState = ({ folder }: Pick<JobParts, 'folder'>) => join(folder, `state-${++count}`)

/** Starts a daemon; on the state of an ended one it continues that one's deployments. */
export async function daemonIn(
  lab: NetworkLab,
  state: string,
  config: string,
): Promise<DaemonProcess> {
  const file = `${state}.toml`
  await writeFile(file, config)
  const args = ['--allow-local-images', '--config', file]
  return readyDaemon(state, { args, prefix: insideLab(lab) })
}

/** Runs a daemon so that it ends with the test, whatever happens to the test. */
export const insideLab = ({ host }: NetworkLab) =>
  host.prefix.concat('setpriv', '--pdeathsig', 'KILL', '--')

/** @returns the deployment file */
export function writeProbeJob(
  { folder, image, probe }: JobParts,
  id: string,
  commands: Commands,
  deployment: object = {},
): Promise<string> {
  const script = commands.map((command) => `./probe ${command}\n`).join('')
  return writeDeployment(join(folder, `job-${++count}`), {
    image,
    files: { 'job.sh': script, probe },
    deployment: { id, ...deployment },
  })
}

export function jobsOf(daemon: DaemonProcess, parts: JobParts): Jobs {
  const start: Jobs['start'] = async (id, commands, deployment) => {
    const file = await writeProbeJob(parts, id, commands, deployment)
    await daemon.deploy({ file })
    await daemon.reach(id, 'running', 'ended')
  }
  const answers: Jobs['answers'] = async (id) => {
    const entries = await daemon.logs(id, { stream: ['stdout'] })
    return answersOf(entries.map(({ text }) => text ?? ''))
  }
  return {
    start,
    answers,
    async answer(id, label, least = 1) {
      for (;;) {
        const found = (await answers(id)).get(label) ?? []
        if (found.length >= least) return found.at(-1)!
        await pause(50)
      }
    },
    async run(id, commands, deployment) {
      await start(id, commands, deployment)
      await daemon.reach(id, 'ended')
      return answers(id)
    },
    remove: (id) => daemon.remove(id),
  }
}
