/** Compares what jobs may take of the whole host's counts with what the host has. @module */
import { openCgroups } from '../cgroup/cgroup.ts'
import { tasksOfHost, tasksOfJobs } from '../cgroup/limits.ts'
import { probeLauncher } from '../sandbox/launcher/launcher.ts'
import { filesOf, filesOfHost } from '../sandbox/limits.ts'
import { ok, warning, type Check, type Outcome } from './finding.ts'

/** Counts of the host, and what jobs may take of them. */
export interface Budgets {
  processes: { ofHost: number; ofJob: number; ofAllJobs?: number }
  /** Open files; those of a job are those of all its processes. */
  files: { ofHost: number; ofJob: number }
  /** Whether an ordinary user's program can install a system-call filter now. */
  hasFilterMemory: boolean
}

export const budgetsCheck: Check = {
  name: "host's limits",
  async look({ config: { sandbox } }) {
    const { filters } = await probeLauncher()
    const isHeld = openCgroups().controllers.has('pids')
    const ofHost = tasksOfHost()
    const { maxProcesses: ofJob } = sandbox
    return compare({
      processes: { ofHost, ofJob, ...(isHeld && { ofAllJobs: tasksOfJobs(ofHost) }) },
      files: { ofHost: filesOfHost(), ofJob: ofJob * filesOf(sandbox) },
      hasFilterMemory: filters,
    })
  },
}

// So many jobs at their limits should leave the host some.
const manyJobs = 64

/** What was found, and what to do about it. */
interface Row {
  detail: string
  remedy?: string
}

export function compare({ processes, files, hasFilterMemory }: Budgets): Outcome {
  const rows = [compareProcesses(processes), compareFiles(files), filterRow(hasFilterMemory)]
  const detail = rows.map((row) => row.detail).join('; ')
  const remedies = rows.flatMap(({ remedy }) => remedy ?? [])
  return remedies.length === 0 ? ok(detail) : warning(detail, remedies.join('; '))
}

function compareProcesses({ ofHost, ofJob, ofAllJobs }: Budgets['processes']): Row {
  if (ofAllJobs !== undefined) {
    return { detail: `processes: all jobs together at most ${ofAllJobs} of ${ofHost}` }
  }
  const detail = `processes: ${ofJob} of ${ofHost} for each job`
  if (ofHost / ofJob > manyJobs) return { detail }
  const remedy = `run the daemon as root, or in a unit with Delegate=yes, or lower sandbox.maxProcesses: ${reach(ofHost, ofJob)}`
  return { detail, remedy }
}

// Above it no host has so many, and the memory of each job is what limits it.
const endless = 2 ** 62

function compareFiles({ ofHost, ofJob }: Budgets['files']): Row {
  if (ofHost > endless) return { detail: 'open files: as many as fit into the memory of each job' }
  const detail = `open files: ${ofJob} of ${ofHost} for each job`
  if (ofHost / ofJob > manyJobs) return { detail }
  const remedy = `sysctl fs.file-max=9223372036854775807, so that the memory of each job limits its open files: ${reach(ofHost, ofJob)}`
  return { detail, remedy }
}

function reach(ofHost: number, ofJob: number): string {
  return `now ${Math.ceil(ofHost / ofJob)} jobs at their limits take all`
}

function filterRow(hasMemory: boolean): Row {
  if (hasMemory) return { detail: 'memory for filters: left' }
  return {
    detail: 'memory for filters: used up, so only root can install one',
    remedy: 'raise sysctl net.core.bpf_jit_limit, or end the programs that hold many filters',
  }
}
