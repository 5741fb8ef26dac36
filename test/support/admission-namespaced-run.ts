/**
 * `causeway run` in its own PID namespace, where a test can have a pid reused: no other process
 * forks there, and none outside is disturbed. Only root can make it.
 * @module
 */
import { constants } from 'node:os'
import { onTestFinished } from 'vitest'
import { agentProgram, type Agent } from './admission-agent.ts'
import { readLog, type Logged } from './admission-log.ts'
import { prepareRun, type RunOptions } from './admission-run.ts'
import { start } from './causeway.ts'

/** A run whose daemon lives in the namespace; pids are those in it. */
export interface NamespacedRun {
  socket: string
  main: Agent
  /** An agent outside the job: root, and the first process of the namespace. */
  outsider: Agent
  logged: Logged
  /** Null when the agent has no pid there. */
  pidOf: (agent: Agent) => Promise<number | null>
  /** Has the agent's next child get a free pid. @throws Error when other processes always get it */
  recycle(pid: number, parent: Agent): Promise<Agent>
  /** Runs `act` while the daemon is stopped. */
  whileStopped(act: () => Promise<void>): Promise<void>
}

const namespace = ['--pid', '--fork', '--mount-proc', '--kill-child']

/** Calls with a run that ends afterwards. */
export async function withNamespacedRun(
  options: RunOptions,
  call: (run: NamespacedRun) => Promise<void>,
): Promise<void> {
  const { environment, arrived } = options.control.expect()
  const { child, finished } = start('unshare', [...namespace, 'python3', '-c', agentProgram], {
    env: { PATH: process.env['PATH'], ...environment },
  })
  // Its end ends everything in the namespace.
  onTestFinished(() => void child.kill('SIGKILL'))
  const outsider = await arrived
  const { socket, main, ...command } = await prepareRun(options)
  const daemon = await outsider.do('start', command)
  try {
    const logged = readLog(child.stderr!)
    await call({ socket, main: await main, outsider, logged, ...controls(outsider, daemon) })
  } finally {
    await outsider.do('signal', { pid: daemon, number: constants.signals.SIGTERM })
    await outsider.do('wait', { pid: daemon })
    await outsider.do('exit').catch(() => {})
    await finished
  }
}

function controls(outsider: Agent, daemon: unknown) {
  const signal = (number: number) => outsider.do('signal', { pid: daemon, number })
  const pidOf = ({ hello: { label } }: Agent) =>
    outsider.do('find', { label }) as Promise<number | null>
  return {
    pidOf,
    recycle: (pid: number, parent: Agent) => recycle({ pid, parent, outsider, pidOf }),
    async whileStopped(act: () => Promise<void>) {
      await signal(constants.signals.SIGSTOP)
      try {
        await act()
      } finally {
        await signal(constants.signals.SIGCONT)
      }
    },
  }
}

// A thread of the daemon may take the number, but not for long.
const maxTries = 100

async function recycle({
  pid,
  parent,
  outsider,
  pidOf,
}: Pick<NamespacedRun, 'outsider' | 'pidOf'> & { pid: number; parent: Agent }): Promise<Agent> {
  for (let tries = 0; tries < maxTries; tries++) {
    await outsider.do('write', { path: '/proc/sys/kernel/ns_last_pid', text: String(pid - 1) })
    const successor = await parent.fork()
    if ((await pidOf(successor)) === pid) return successor
    await successor.do('exit').catch(() => {})
  }
  throw new Error(`pid ${pid} always belonged to another process`)
}
