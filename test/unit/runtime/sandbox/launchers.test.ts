/** Spare launchers: real ones, with control groups where this user can make them. */
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { nativePaths } from '@causeway/native'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { hostHierarchies } from '../../../../runtime/src/cgroup/mounts.ts'
import { openCgroups, type Cgroups, type JobGroups } from '../../../../runtime/src/cgroup/cgroup.ts'
import { launchOptions } from '../../../../runtime/src/sandbox/launcher/launcher.ts'
import {
  createLaunchers,
  type PreparedLauncher,
} from '../../../../runtime/src/sandbox/launcher/launchers.ts'
import type { SpareKind } from '../../../../runtime/src/sandbox/launcher/spare-launcher.ts'
import type { LauncherProcess } from '../../../../runtime/src/sandbox/launcher/launcher-process.ts'
import { openLaunch } from '../../../../runtime/src/sandbox/launcher/launch.ts'
import { childrenOf } from '../../../../runtime/src/sandbox/launcher/process-tree.ts'
import { canLimitStorage } from '../../../../runtime/src/sandbox/storage/storage.ts'
import { makeStorageFile } from '../../../../runtime/src/sandbox/storage/storage-files.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const mebibyte = 1024 * 1024
const limits = { memoryBytes: 64 * mebibyte, processes: 20, storageBytes: 16 * mebibyte }
const plain: SpareKind = { namespaces: false, pivots: false, storageBytes: 16 * mebibyte }
const isRoot = process.getuid?.() === 0
// Only the layer that root must have: other files test what a launcher does with its options.
const echo = [
  ...launchOptions({
    ...(isRoot && { identity: { uid: 1_800_000_003 } }),
    namespaces: false,
    limits: {},
    environment: {},
  }),
  '/bin/echo',
  'hello',
]
const withoutGroups = () => openCgroups({ hierarchies: [] })

// Far longer than anything here takes.
const patience = { timeout: 10_000, interval: 5 }

/** Pids of the launchers of this process. */
const running = () =>
  childrenOf(process.pid).filter((pid) => {
    const path = `/proc/${pid}/cmdline`
    return existsSync(path) && readFileSync(path, 'utf8').startsWith(nativePaths.launcher)
  })

/** Launchers that are closed after the test, and the groups that still exist. */
function open(cgroups: Cgroups = withoutGroups()) {
  const groups = new Set<JobGroups>()
  const launchers = createLaunchers({
    ...cgroups,
    create() {
      const made = cgroups.create()
      const recorded: JobGroups = {
        ...made,
        async remove() {
          await made.remove()
          groups.delete(recorded)
        },
      }
      groups.add(recorded)
      return recorded
    },
  })
  onTestFinished(async () => {
    await launchers.close()
    // The next test would take one that ends for its own.
    await until(0)
  })
  const take = async (storageFile?: string, storageBytes = limits.storageBytes) => {
    const wanted = { ...limits, storageBytes }
    const ready = await launchers.takeReady(wanted, storageFile)
    const prepared = ready ?? (await launchers.take(wanted, storageFile))
    const taken: Taken = { ...prepared, started: undefined }
    onTestFinished(() => end(taken))
    return taken
  }
  return {
    take,
    keepSpare: (kind = plain) => launchers.keepSpare(kind),
    close: () => launchers.close(),
    groups,
  }
}

type Taken = PreparedLauncher & { started: LauncherProcess | undefined }

async function end({ started, giveUp }: Taken): Promise<void> {
  started?.discard()
  await giveUp()
  await vi.waitFor(() => expect(running()).not.toContain(started?.child.pid), patience)
}

/** What the program of a launcher prints. */
async function said(taken: Taken, words = echo): Promise<string> {
  taken.started = taken.start(words)
  const launch = await openLaunch(taken.started, undefined)
  launch.go()
  return text(launch.stdout)
}

/** Pid of the launcher that got the options. */
const pidOf = ({ started }: Taken) => started?.child.pid

/** Waits until exactly so many launchers run. @returns their pids */
async function until(count: number): Promise<number[]> {
  await vi.waitFor(() => expect(running()).toHaveLength(count), patience)
  return running()
}

describe('a launcher', () => {
  test('is started for each job when none is kept ready', async () => {
    const { take, groups } = open()
    const [one, other] = [await take(), await take()]
    expect(groups.size).toBe(2)
    expect(await Promise.all([one, other].map((one) => said(one)))).toEqual(['hello\n', 'hello\n'])
    await until(0)
  })

  test('that is ready is taken once, and does what the options say', async () => {
    const { keepSpare, take } = open()
    keepSpare()
    const [spare] = await until(1)
    keepSpare()
    expect(running()).toEqual([spare])
    const [one, other] = [await take(), await take()]
    expect(await Promise.all([one, other].map((one) => said(one)))).toEqual(['hello\n', 'hello\n'])
    expect(pidOf(one)).toBe(spare)
    expect(pidOf(other)).not.toBe(spare)
  })

  test('replaces a spare that was taken', async () => {
    const { keepSpare, take } = open()
    keepSpare()
    await until(1)
    const first = await take()
    expect(await said(first)).toBe('hello\n')
    const others = () => running().filter((pid) => pid !== pidOf(first))
    await vi.waitFor(() => expect(others()).toHaveLength(1), patience)
    const [second] = others()
    const taken = await take()
    expect(await said(taken)).toBe('hello\n')
    expect(pidOf(taken)).toBe(second)
  })

  test('that somebody killed is never taken, and its groups are removed', async () => {
    const { keepSpare, take, groups } = open()
    keepSpare()
    const [spare] = await until(1)
    process.kill(spare!, 'SIGKILL')
    await vi.waitFor(() => expect(groups.size).toBe(0), patience)
    const taken = await take()
    expect(await said(taken)).toBe('hello\n')
    expect(pidOf(taken)).not.toBe(spare)
  })

  test('is ended when the launchers close, and no other is made', async () => {
    const { keepSpare, take, close, groups } = open()
    keepSpare()
    await until(1)
    await close()
    expect(groups.size).toBe(0)
    await until(0)
    await end(await take())
    expect(groups.size).toBe(0)
    await until(0)
  })

  test('whose groups cannot be limited is ended, and they are removed', async () => {
    const cgroups = withoutGroups()
    const failing = () => ({
      ...cgroups.create(),
      limit() {
        throw new Error('no such limit')
      },
    })
    const { keepSpare, take, close, groups } = open({ ...cgroups, create: failing })
    keepSpare()
    await until(1)
    await expect(take()).rejects.toThrow('no such limit')
    await close()
    await until(0)
    await expect(take()).rejects.toThrow('no such limit')
    await vi.waitFor(() => expect(groups.size).toBe(0), patience)
    await until(0)
  })
})

describe.skipIf(!isRoot || hostHierarchies().length === 0)(
  'a launcher with control groups (only root can make them)',
  () => {
    test('has joined them before it is taken, and gets its limits then', async () => {
      const { keepSpare, take, groups } = open(openCgroups())
      keepSpare()
      const [spare] = await until(1)
      const [{ folders }] = [...groups] as [JobGroups]
      const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8').trim()
      await vi.waitFor(() => {
        for (const folder of folders) expect(read(folder, 'cgroup.procs')).toBe(`${spare}`)
      }, patience)
      const taken = await take()
      const counted = folders.filter((folder) => existsSync(join(folder, 'pids.max')))
      for (const folder of counted) expect(read(folder, 'pids.max')).toBe('21')
      expect(await said(taken)).toBe('hello\n')
      await end(taken)
      expect(folders.filter((folder) => existsSync(folder))).toEqual([])
    })
  },
)

const hasStorage = isRoot && (await canLimitStorage(tmpdir()))

describe.skipIf(!hasStorage)(
  'a launcher with a file system (only root can mount one, from a loop device)',
  () => {
    const mount = '/run/causeway/storage'
    const seenBy = (pid: number) => readFileSync(`/proc/${pid}/mounts`, 'utf8')
    const show = [
      ...launchOptions({
        identity: { uid: 1_800_000_003 },
        namespaces: true,
        limits: {},
        environment: {},
      }),
      '/bin/sh',
      '-c',
      `grep ${mount} /proc/mounts`,
    ]

    /** A launcher that has mounted its file system. */
    async function openMounted(folder: string) {
      const opened = open()
      opened.keepSpare({ ...plain, namespaces: true, storageFolder: folder })
      const [spare] = await until(1)
      await vi.waitFor(() => expect(seenBy(childrenOf(spare!)[0]!)).toContain(mount), patience)
      return { ...opened, spare: spare! }
    }

    test('has mounted it before it is taken, where nobody else sees it', async () => {
      await using folder = await temporaryFolder()
      const { take, spare } = await openMounted(folder.path)
      expect(readdirSync(folder.path)).toEqual([])
      expect(seenBy(process.pid)).not.toContain(mount)
      const path = join(folder.path, 'storage.ext4')
      const taken = await take(path)
      expect(taken.layer).toEqual({
        folder: mount,
        upper: `${mount}/upper`,
        work: `${mount}/work`,
      })
      expect(statSync(path).size).toBe(limits.storageBytes)
      expect(await said(taken, show)).toMatch(/^\/dev\/loop\d+ .* ext4 .*\n$/)
      expect(pidOf(taken)).toBe(spare)
      await end(taken)
    })

    test.for([
      { name: 'has another size', bytes: 32 * mebibyte, isThere: false },
      { name: 'was made for an earlier attempt', bytes: limits.storageBytes, isThere: true },
    ])('gives up its own for one that $name', async ({ bytes, isThere }) => {
      await using folder = await temporaryFolder()
      const { take, spare } = await openMounted(folder.path)
      const [path, target] = [join(folder.path, 'storage.ext4'), join(folder.path, 'mounted')]
      if (isThere) await makeStorageFile(path, bytes)
      const { ino } = isThere ? statSync(path) : { ino: undefined }
      const taken = await take(path, bytes)
      expect(taken.layer).toBeUndefined()
      expect(statSync(path)).toMatchObject({ size: bytes, ...(isThere && { ino }) })
      const overlay = makeOverlay(folder.path, { file: path, folder: target })
      const words = launchOptions({
        identity: { uid: 1_800_000_003 },
        namespaces: true,
        root: overlay,
        limits: {},
        environment: {},
      })
      const script = `grep -c ${mount} /proc/mounts; grep ${target} /proc/mounts`
      const printed = await said(taken, [...words, '/bin/sh', '-c', script])
      expect(printed).toMatch(/^0\n\/dev\/loop\d+ .* ext4 /)
      expect(pidOf(taken)).toBe(spare)
      await end(taken)
    })

    test('does not use it for a job whose folder is on another disk', async () => {
      await using folder = await temporaryFolder()
      await using elsewhere = await temporaryFolder('/dev/shm')
      const { take } = await openMounted(folder.path)
      const path = join(elsewhere.path, 'storage.ext4')
      const taken = await take(path)
      expect(taken.layer).toBeUndefined()
      expect(statSync(path).size).toBe(limits.storageBytes)
      await end(taken)
    })

    test('makes it as large as the last one that was requested', async () => {
      await using folder = await temporaryFolder()
      const { take, spare: taken } = await openMounted(folder.path)
      const first = await take(join(folder.path, 'first'), 32 * mebibyte)
      expect(first.layer).toBeUndefined()
      await end(first)
      // Not the first one, which may be about to end.
      await vi.waitFor(() => expect(running()).not.toContain(taken), patience)
      const [spare] = await until(1)
      await vi.waitFor(() => expect(seenBy(childrenOf(spare!)[0]!)).toContain(mount), patience)
      const path = join(folder.path, 'second')
      const second = await take(path, 32 * mebibyte)
      expect(second.layer).toBeDefined()
      expect(statSync(path).size).toBe(32 * mebibyte)
      await end(second)
    })

    test('that somebody killed leaves no file, mount or loop device', async () => {
      await using folder = await temporaryFolder()
      const { spare, close } = await openMounted(folder.path)
      const device = /\/dev\/(loop\d+) \/run\/causeway\/storage/.exec(
        seenBy(childrenOf(spare)[0]!),
      )![1]!
      process.kill(spare, 'SIGKILL')
      await close()
      await until(0)
      expect(readdirSync(folder.path)).toEqual([])
      const backing = `/sys/block/${device}/loop/backing_file`
      await vi.waitFor(() => {
        const file = existsSync(backing) ? readFileSync(backing, 'utf8') : ''
        expect(file).not.toContain(folder.path)
      }, patience)
    })
  },
)

/** Folders for an overlay whose upper layer lies in a file system of its own. */
function makeOverlay(folder: string, storage: { file: string; folder: string }) {
  const [root, lower] = [join(folder, 'root'), join(folder, 'lower')]
  for (const path of [root, lower, storage.folder]) mkdirSync(path)
  const layers = { upper: join(storage.folder, 'upper'), work: join(storage.folder, 'work') }
  return { folder: root, overlay: { lower, ...layers, storage } }
}
