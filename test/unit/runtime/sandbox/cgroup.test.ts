import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished } from 'vitest'
import { hostHierarchies } from '../../../../runtime/src/cgroup/mounts.ts'
import { openCgroups } from '../../../../runtime/src/cgroup/cgroup.ts'
import { limitGroup } from '../../../../runtime/src/cgroup/limits.ts'
import { ownedName } from '../../../../runtime/src/state/process-tag.ts'
import { test } from '../../../support/folder-fixture.ts'

const isRoot = process.getuid?.() === 0
const mebibyte = 1024 * 1024

describe.skipIf(!isRoot || hostHierarchies().length === 0)(
  'control groups of this host (only root can make them)',
  () => {
    const limits = { memoryBytes: 64 * mebibyte, processes: 20 }

    /** Makes groups, and removes them after the test. */
    function create() {
      const groups = openCgroups().create()
      onTestFinished(() => groups.remove())
      return groups
    }

    /** Runs a program inside the groups. */
    function start(folders: readonly string[], program: string, args: readonly string[]) {
      const join =
        'for folder in $FOLDERS; do echo 0 > $folder/cgroup.procs || exit 99; done; exec "$@"'
      return spawn('/bin/sh', ['-c', join, 'sh', program, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { FOLDERS: folders.join(' '), PATH: process.env['PATH'] },
      })
    }

    // Sends to itself over the loopback and reads nothing, up to 64 MiB; prints what the kernel took.
    const fillSockets = `
import socket
server = socket.create_server(("127.0.0.1", 0), backlog=64)
held, sent = [], 0
while sent < 64 * 2**20 and len(held) < 128:
    client = socket.create_connection(server.getsockname())
    held += [client, server.accept()[0]]
    client.setblocking(False)
    try:
        while sent < 64 * 2**20: sent += client.send(bytes(65536))
    except BlockingIOError: pass
    print(sent, flush=True)
`

    test('are made in each hierarchy, with their limits', () => {
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
      // One more than the limit, for the launcher.
      expect(value('pids.max').includes('21')).toBe(controllers.has('pids'))
    })

    test('have half of the host’s processes together, however many they are', ({ skip }) => {
      skip(!openCgroups().controllers.has('pids'), 'no pids controller')
      const above = create().folders.map((folder) => join(folder, '..', 'pids.max'))
      const [limit] = above.filter((path) => existsSync(path))
      const ofHost = ['pid_max', 'threads-max'].map((name) =>
        Number(readFileSync(`/proc/sys/kernel/${name}`, 'utf8')),
      )
      expect(Number(readFileSync(limit!, 'utf8'))).toBe(Math.floor(Math.min(...ofHost) / 2))
    })

    test('count the kills of the kernel for lack of memory', async ({ skip }) => {
      skip(!openCgroups().controllers.has('memory'), 'no memory controller')
      const groups = create()
      groups.limit({ memoryBytes: 32 * mebibyte, processes: 20 })
      expect(groups.oomKills()).toBe(0)
      const child = start(groups.folders, 'python3', ['-c', 'bytearray(200_000_000)'])
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      expect(groups.oomKills()).toBeGreaterThan(0)
    })

    test('bound what sockets hold, of either version', async ({ skip }) => {
      skip(!openCgroups().controllers.has('memory'), 'no memory controller')
      const groups = create()
      groups.limit({ memoryBytes: 32 * mebibyte, processes: 20 })
      const child = start(groups.folders, 'python3', ['-c', fillSockets])
      const sent = text(child.stdout)
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
      // Version 2 may also end it for lack of memory.
      expect([`${code}`, signal]).toContain(groups.oomKills() > 0 ? 'SIGKILL' : '0')
      const lines = (await sent).trim().split('\n')
      expect(Number(lines.at(-1))).toBeGreaterThan(0)
      expect(Number(lines.at(-1))).toBeLessThan(32 * mebibyte)
    })

    test('are removed, and all processes in them killed', async () => {
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

    test('that cannot be removed yet cause a warning, and a later try removes them', async () => {
      const warnings: string[] = []
      const groups = openCgroups({ onWarning: (message) => warnings.push(message) }).create()
      // A group inside the group keeps it from being removed.
      const inner = groups.folders.map((folder) => join(folder, 'inner'))
      onTestFinished(async () => {
        for (const folder of inner) if (existsSync(folder)) rmdirSync(folder)
        await groups.remove()
      })
      for (const folder of inner) mkdirSync(folder)
      await groups.remove()
      expect(warnings).toHaveLength(1)
      for (const folder of groups.folders) {
        expect(warnings[0]).toContain(`${folder}: EBUSY, processes in it: none`)
      }
      for (const folder of inner) rmdirSync(folder)
      await groups.remove()
      expect(groups.folders.filter((folder) => existsSync(folder))).toEqual([])
      expect(warnings).toHaveLength(1)
    })

    test('of a dead daemon are killed and removed by the next one', async () => {
      const gone = spawn('sleep', ['300'])
      await once(gone, 'spawn')
      const name = ownedName('job', gone.pid)
      gone.kill('SIGKILL')
      await once(gone, 'exit')
      const folders = hostHierarchies().map(({ path }) => join(path, 'causeway', name))
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

// Plain folders are enough to test which files are written.
test('a group gets no huge page of any size', ({ folder }) => {
  const limits = ['max', 'rsvd.max', 'limit_in_bytes', 'rsvd.limit_in_bytes']
  const files = ['2MB', '1GB'].flatMap((size) => limits.map((name) => `hugetlb.${size}.${name}`))
  const others = ['hugetlb.2MB.current', 'hugetlb.2MB.max_usage_in_bytes', 'memory.max']
  for (const name of [...files, ...others]) writeFileSync(join(folder, name), 'as it was')
  const hierarchy = { path: folder, version: 2, controllers: ['hugetlb'] } as const
  limitGroup({ folder, hierarchy }, { memoryBytes: 64 * mebibyte, processes: 20 })
  const written = readdirSync(folder).filter(
    (name) => readFileSync(join(folder, name), 'utf8') === '0',
  )
  expect(new Set(written)).toEqual(new Set(files))
})

// Plain folders are enough to test the names.
describe('abandoned groups', () => {
  /** Control groups that are plain folders, the name of one whose daemon has died, and warnings. */
  function plain(folder: string) {
    const warnings: string[] = []
    const cgroups = openCgroups({
      hierarchies: [{ path: folder, version: 1, controllers: [] }],
      onWarning: (message) => warnings.push(message),
    })
    const abandoned = ownedName('job').replace(/-\d+-([^-]+)$/, '-1-$1')
    return { cgroups, warnings, abandoned, above: join(folder, 'causeway') }
  }

  test('are removed, and no others', async ({ folder }) => {
    const { cgroups, warnings, abandoned, above } = plain(folder)
    const own = cgroups.create()
    const kept = [ownedName('job'), 'job-1-999999999-1-00', 'somebody-else']
    for (const name of [abandoned, ...kept]) mkdirSync(join(above, name))
    await cgroups.sweep()
    const left = readdirSync(above).map((name) => join(above, name))
    expect(new Set(left)).toEqual(
      new Set([...own.folders, ...kept.map((name) => join(above, name))]),
    )
    expect(warnings).toEqual([])
  })

  test('that cannot be removed cause a warning with the reason, and are removed later', async ({
    folder,
  }) => {
    const { cgroups, warnings, abandoned, above } = plain(folder)
    const groups = cgroups.create()
    const next = join(above, abandoned)
    mkdirSync(next)
    // 0 stands for a process that this one cannot see: nothing is killed for it.
    for (const stuck of [...groups.folders, next]) writeFileSync(join(stuck, 'cgroup.procs'), '0\n')
    await Promise.all([groups.remove(), cgroups.sweep()])
    const told = (stuck: string) =>
      `control groups: not removed after 2 s, the next start tries again: ${stuck}: ENOTEMPTY, processes in it: 0`
    expect(new Set(warnings)).toEqual(new Set([...groups.folders, next].map(told)))
    rmSync(join(next, 'cgroup.procs'))
    await cgroups.sweep()
    expect(existsSync(next)).toBe(false)
    expect(warnings).toHaveLength(2)
  })
})
