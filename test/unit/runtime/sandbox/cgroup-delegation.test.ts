/**
 * Control groups of an ordinary user, as systemd delegates them to a unit with `Delegate=yes`. Here
 * root delegates them to the user nobody.
 * @module
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished } from 'vitest'
import { hostHierarchies } from '../../../../runtime/src/cgroup/mounts.ts'
import { killIfThere } from '../../../support/kill-if-there.ts'
import { openCgroups } from '../../../../runtime/src/cgroup/cgroup.ts'
import { start } from '../../../support/causeway.ts'
import { test } from '../../../support/folder-fixture.ts'

const isRoot = process.getuid?.() === 0
const hierarchies = hostHierarchies()
const nobody = 65_534
const mebibyte = 1024 * 1024

// Acts as a daemon whose job takes too much memory and too many processes.
const script = `
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { openCgroups } from './dist/cgroup/cgroup.js'
const cgroups = openCgroups()
const groups = cgroups.create()
groups.limit({ memoryBytes: ${32 * mebibyte}, processes: 20 })
const inside = (...command) =>
  spawnSync('/bin/sh', ['-c',
    'for folder in ' + groups.folders.join(' ') + '; do echo 0 > $folder/cgroup.procs || exit 99; done; exec "$@"',
    'sh', ...command], { encoding: 'utf8' })
const { signal } = inside('python3', '-c', 'bytearray(200_000_000)')
const { stderr } = inside('sh', '-c', 'for n in $(seq 40); do sleep 300 > /dev/null 2>&1 & done')
const oomKills = groups.oomKills()
await groups.remove()
console.log(JSON.stringify({
  controllers: [...cgroups.controllers], folders: groups.folders, signal, stderr, oomKills,
  own: readFileSync('/proc/self/cgroup', 'utf8'),
}))
`

interface Report {
  controllers: string[]
  folders: string[]
  signal: string | null
  stderr: string
  oomKills: number
  own: string
}

/** Makes a group in each hierarchy that the user nobody owns; removes it after the test. */
function delegate(): string[] {
  // Enables the controllers in the groups above.
  openCgroups()
  const name = `causeway-test-${randomUUID()}`
  return hierarchies.map(({ path }) => {
    const group = join(path, name)
    mkdirSync(group)
    onTestFinished(() => removeBelow(group))
    for (const name of ['.', 'cgroup.procs', 'cgroup.threads', 'cgroup.subtree_control', 'tasks']) {
      if (existsSync(join(group, name))) chownSync(join(group, name), nobody, nobody)
    }
    return group
  })
}

/** Removes a group, and kills what a failed test has left in it. */
async function removeBelow(group: string): Promise<void> {
  for (const entry of readdirSync(group, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeBelow(join(group, entry.name))
  }
  const pids = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
  for (const pid of pids) killIfThere(Number(pid))
  while (readFileSync(join(group, 'cgroup.procs'), 'utf8') !== '') await pause(5)
  rmdirSync(group)
}

/** Runs the script in these groups as the user nobody. */
async function runInside(folder: string, groups: readonly string[]): Promise<Report> {
  const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
  cpSync(join(checkout, 'runtime/dist'), join(folder, 'dist'), { recursive: true })
  const service = join(folder, 'node_modules/@causeway/service')
  cpSync(join(checkout, 'service'), service, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'script.js'), script)
  chmodSync(folder, 0o755)
  const enter = 'for folder in $GROUPS_OF_TEST; do echo 0 > $folder/cgroup.procs || exit 99; done'
  const drop = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
  const { child, finished } = start(
    '/bin/sh',
    ['-c', `${enter}; exec "$@"`, 'sh', ...drop, process.execPath, join(folder, 'script.js')],
    { env: { GROUPS_OF_TEST: groups.join(' '), PATH: process.env['PATH'] } },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const { stdout, stderr } = await finished
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Report
}

describe.skipIf(!isRoot || hierarchies.length === 0)(
  'control groups delegated to an ordinary user (only root can delegate them)',
  () => {
    test('contain that user’s jobs, and enforce their limits', async ({ folder }) => {
      const groups = delegate()
      const report = await runInside(folder, groups)
      expect(report.folders.map((path) => path.replace(/\/causeway\/job-[^/]+$/, ''))).toEqual(
        groups,
      )
      expect(new Set(report.controllers)).toEqual(openCgroups().controllers)
      for (const path of report.folders) expect(existsSync(path)).toBe(false)
      const limits = openCgroups().controllers
      expect(report.signal).toBe(limits.has('memory') ? 'SIGKILL' : null)
      expect(report.oomKills > 0).toBe(limits.has('memory'))
      expect(/fork/i.test(report.stderr)).toBe(limits.has('pids'))
    })

    test('of version 2 are not used when other processes are inside', async ({ folder, skip }) => {
      const index = hierarchies.findIndex(({ version }) => version === 2)
      skip(index === -1, 'no control groups of version 2')
      const groups = delegate()
      const second = groups[index]!
      const other = spawn('sleep', ['300'])
      const ended = once(other, 'exit')
      onTestFinished(async () => {
        other.kill('SIGKILL')
        await ended
      })
      await once(other, 'spawn')
      writeFileSync(join(second, 'cgroup.procs'), `${other.pid}`)
      const { folders, own } = await runInside(folder, groups)
      expect(folders.filter((path) => path.startsWith(second))).toEqual([])
      expect(own).toMatch(new RegExp(`^0::/${basename(second)}$`, 'm'))
      expect(readFileSync(join(second, 'cgroup.procs'), 'utf8')).toBe(`${other.pid}\n`)
    })
  },
)
