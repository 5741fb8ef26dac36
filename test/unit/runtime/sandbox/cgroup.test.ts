import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { hostHierarchies } from '../../../../runtime/src/sandbox/cgroup-mounts.ts'
import { openCgroups } from '../../../../runtime/src/sandbox/cgroup.ts'
import { processTag } from '../../../../runtime/src/process-alive.ts'
import { test } from '../../../support/folder-fixture.ts'

const isRoot = process.getuid?.() === 0
const namespace = readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
const mebibyte = 1024 * 1024

describe.skipIf(!isRoot || hostHierarchies().length === 0)(
  'control groups of this host (only root can make them)',
  () => {
    const limits = { memoryBytes: 64 * mebibyte, processes: 20 }

    /** Groups that are gone after the test. */
    function create() {
      const groups = openCgroups().create()
      onTestFinished(() => groups.remove())
      return groups
    }

    /** Runs a program inside. */
    function start(folders: readonly string[], program: string, args: readonly string[]) {
      const join =
        'for folder in $FOLDERS; do echo 0 > $folder/cgroup.procs || exit 99; done; exec "$@"'
      return spawn('/bin/sh', ['-c', join, 'sh', program, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { FOLDERS: folders.join(' '), PATH: process.env['PATH'] },
      })
    }

    test('has one in each hierarchy, with its limits', () => {
      const groups = create()
      groups.limit(limits)
      expect(groups.folders).toHaveLength(hostHierarchies().length)
      const value = (...names: string[]) =>
        names
          .flatMap((name) => groups.folders.map((folder) => join(folder, name)))
          .filter((path) => existsSync(path))
          .map((path) => readFileSync(path, 'utf8').trim())
      const { controllers } = openCgroups()
      const memory = controllers.has('memory') ? [`${64 * mebibyte}`] : []
      expect(value('memory.limit_in_bytes', 'memory.max')).toEqual(memory)
      // And its launcher.
      expect(value('pids.max').includes('21')).toBe(controllers.has('pids'))
    })

    test('tells that the kernel killed for want of memory', async ({ skip }) => {
      skip(!openCgroups().controllers.has('memory'), 'no memory controller')
      const groups = create()
      groups.limit({ memoryBytes: 32 * mebibyte, processes: 20 })
      expect(groups.oomKills()).toBe(0)
      const child = start(groups.folders, 'python3', ['-c', 'bytearray(200_000_000)'])
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      expect(groups.oomKills()).toBeGreaterThan(0)
    })

    test('are gone with all that is in them', async () => {
      const groups = create()
      groups.limit(limits)
      const child = start(groups.folders, '/bin/sh', [
        '-c',
        'for n in 1 2 3; do setsid sh -c "trap \\"\\" TERM HUP; sleep 300" & done; echo ready; sleep 300',
      ])
      await once(child.stdout, 'data')
      const ended = once(child, 'exit')
      await groups.remove()
      expect(await ended).toEqual([null, 'SIGKILL'])
      expect(groups.folders.filter((folder) => existsSync(folder))).toEqual([])
      await groups.remove()
    })

    test('of a process that is gone are ended by the next one', async () => {
      const gone = spawn('sleep', ['300'])
      await once(gone, 'spawn')
      const tag = processTag(gone.pid)
      gone.kill('SIGKILL')
      await once(gone, 'exit')
      const folders = hostHierarchies().map(({ path }) =>
        join(path, 'causeway', `job-${namespace}-${tag}-0123456789ab`),
      )
      for (const folder of folders) mkdirSync(folder)
      const left = start(folders, 'sleep', ['300'])
      await once(left, 'spawn')
      while (!readFileSync(join(folders[0]!, 'cgroup.procs'), 'utf8').includes(`${left.pid}`));
      const ended = once(left, 'exit')
      await openCgroups().sweep()
      expect(await ended).toEqual([null, 'SIGKILL'])
      expect(folders.filter((folder) => existsSync(folder))).toEqual([])
    })
  },
)

// Folders that are no control groups do for the names.
describe('groups that are left', () => {
  test('go when their process is gone, and no others', async ({ folder }) => {
    const cgroups = openCgroups([{ path: folder, version: 1, controllers: [] }])
    const own = cgroups.create()
    const names = {
      gone: `job-${namespace}-999999999-1-00`,
      livesNow: `job-${namespace}-${processTag()}-00`,
      pidGivenAgain: `job-${namespace}-${process.pid}-1-00`,
      otherNamespace: 'job-1-999999999-1-00',
      foreign: 'somebody-else',
    }
    for (const name of Object.values(names)) mkdirSync(join(folder, 'causeway', name))
    await cgroups.sweep()
    const left = readdirSync(join(folder, 'causeway')).map((name) => join(folder, 'causeway', name))
    const kept = [names.livesNow, names.otherNamespace, names.foreign]
    expect(new Set(left)).toEqual(
      new Set([...own.folders, ...kept.map((name) => join(folder, 'causeway', name))]),
    )
  })
})
