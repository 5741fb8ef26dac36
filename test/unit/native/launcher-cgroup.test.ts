import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hostHierarchies } from '../../../runtime/src/cgroup/mounts.ts'
import { killIfThere } from '../../support/kill-if-there.ts'
import { ended, isRoot, launch, starters, ways } from './job.ts'
import { untilCount } from './processes.ts'

const hierarchies = isRoot ? hostHierarchies() : []
const [starter] = starters

let groups = 0

/** A group of its own, gone after the test. */
function makeGroup(hierarchy: string, limits: Record<string, string | number> = {}): string {
  const folder = join(hierarchy, `causeway-test-${process.pid}-${++groups}`)
  mkdirSync(folder)
  for (const [file, value] of Object.entries(limits)) writeFileSync(join(folder, file), `${value}`)
  onTestFinished(() => removeGroup(folder))
  return folder
}

async function removeGroup(folder: string): Promise<void> {
  const kill = join(folder, 'cgroup.kill')
  if (existsSync(kill)) writeFileSync(kill, '1')
  for (;;) {
    try {
      return rmdirSync(folder)
    } catch {
      for (const pid of processesIn(folder)) killIfThere(pid)
      await pause(10)
    }
  }
}

const processesIn = (folder: string) =>
  readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number)

const rootWays = ways.filter((way) => way.starter === starter)
const of = (controller: string) =>
  hierarchies.find(({ controllers }) => controllers.some((name) => name === controller))

describe.skipIf(!isRoot || hierarchies.length === 0).each(rootWays)(
  'control groups of a job started by $way (only root can make them)',
  ({ options, namespaces }) => {
    const start = (args: string[], program: string[]) =>
      launch(starter!, [...options, ...args, '--', ...program])
    const shell = (script: string) => ['/bin/sh', '-c', script]

    it('hold all of its processes, and the launcher, which started them there', async () => {
      const folders = hierarchies.map(({ path }) => makeGroup(path))
      const token = `5${process.pid}.${Date.now()}`
      const script = `setsid sleep ${token} & sleep ${token}`
      const child = start(
        folders.flatMap((folder) => ['--cgroup', folder]),
        shell(script),
      )
      onTestFinished(() => void child.kill('SIGKILL'))
      // Again, when one of them was only on its way to become another program.
      const held = async () => {
        const all = [child.pid!, ...(await untilCount(token, 2))]
        return folders.every((folder) => all.every((pid) => processesIn(folder).includes(pid)))
      }
      await expect.poll(held).toBe(true)
    })

    it.runIf(namespaces)('are not told to it by the names of the host', async () => {
      const folders = hierarchies.map(({ path }) => makeGroup(path))
      const args = folders.flatMap((folder) => ['--cgroup', folder])
      const { stdout } = await ended(start(args, ['/bin/cat', '/proc/self/cgroup']))
      expect(stdout).toMatch(/:\/$/m)
      expect(stdout).not.toContain('causeway-test')
    })

    it('bound its memory', async ({ skip }) => {
      const memory = of('memory')
      skip(!memory, 'no hierarchy with the memory controller')
      const file = memory!.version === 1 ? 'memory.limit_in_bytes' : 'memory.max'
      const folder = makeGroup(memory!.path, { [file]: 32 * 1024 * 1024 })
      const script = 'print(len(bytearray(256 * 1024 * 1024)))'
      const end = ended(start(['--cgroup', folder], ['/usr/bin/python3', '-c', script]))
      expect(await end).toMatchObject({ code: 137, stdout: '' })
    })

    it('bound its processes', async ({ skip }) => {
      const pids = of('pids')
      skip(!pids, 'no hierarchy with the pids controller')
      const folder = makeGroup(pids!.path, { 'pids.max': 7 })
      const script = 'for n in 1 2 3 4 5 6 7 8; do sleep 5 & done; echo all'
      const { stdout, stderr } = await ended(start(['--cgroup', folder], shell(script)))
      expect(stdout).toBe('')
      expect(stderr).toMatch(/Cannot fork/)
    })

    it('of version 2 end it as one', async ({ skip }) => {
      const unified = hierarchies.find(({ version }) => version === 2)
      skip(!unified, 'no hierarchy of version 2')
      const folder = makeGroup(unified!.path)
      const token = `6${process.pid}.${Date.now()}`
      const script = `setsid sleep ${token} & (trap "" TERM HUP; sleep ${token}) & sleep ${token}; true`
      const child = start(['--cgroup', folder], shell(script))
      const end = ended(child)
      await untilCount(token, 3)
      writeFileSync(join(folder, 'cgroup.kill'), '1')
      expect(await end).toMatchObject({ signal: 'SIGKILL' })
      expect(await untilCount(token, 0)).toEqual([])
    })

    it('that are not there keep it from running', async () => {
      const { code, stdout, stderr } = await ended(
        start(['--cgroup', '/missing'], shell('echo ran')),
      )
      expect({ code, stdout, stderr }).toEqual({
        code: 125,
        stdout: '',
        stderr: 'bridge-launch: cgroup /missing: No such file or directory\n',
      })
    })
  },
)
