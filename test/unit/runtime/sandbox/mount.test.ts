/** Places whose spare launcher cannot be used. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { nativePaths } from '@causeway/native'
import { loadConfig } from '../../../../runtime/src/config/config.ts'
import { jobEnvironment } from '../../../../runtime/src/sandbox/root/environment.ts'
import type { Place } from '../../../../runtime/src/sandbox/place.ts'
import { childrenOf } from '../../../../runtime/src/sandbox/launcher/process-tree.ts'
import { isRootDamage } from '../../../../runtime/src/sandbox/root/root-damage.ts'
import { openSandbox, type Sandbox } from '../../../../runtime/src/sandbox/sandbox.ts'
import { canLimitStorage } from '../../../../runtime/src/sandbox/storage/storage.ts'
import { builtRecipe } from '../../../support/recipe-image.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { thrownBy } from '../../../support/thrown.ts'

const isUsable = process.getuid?.() === 0 && (await canLimitStorage(tmpdir()))
const settings = loadConfig(undefined).sandbox
const limits = { memoryBytes: 2 ** 28, storageBytes: settings.storageBytes, processes: 64 }
const patience = { timeout: 10_000, interval: 5 }

describe.skipIf(!isUsable)('a spare launcher (only root has one with a file system)', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  // Not the host's own folder, where the launchers of others mount theirs.
  let shared: string
  let hostLayer: string
  let tree: string
  beforeAll(async () => {
    folder = await temporaryFolder()
    shared = join(folder.path, 'shared')
    hostLayer = join(shared, 'storage')
    tree = join(folder.path, 'tree')
    mkdirSync(tree)
    execFileSync('tar', ['-xf', (await builtRecipe('minimal')).path, '-C', tree])
    const owner = String(settings.uidBase + 65_536)
    execFileSync('chown', ['-R', '-h', `${owner}:${owner}`, tree])
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  const launchers = () =>
    childrenOf(process.pid).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(nativePaths.launcher),
    )

  /** A sandbox whose spare has mounted its file system. */
  async function openReady(): Promise<{ sandbox: Sandbox; inside: number; place: () => Place }> {
    const jobs = join(folder.path, `jobs-${Date.now()}`)
    mkdirSync(jobs, { mode: 0o711 })
    const sandbox = await openSandbox({ ...settings, backend: 'namespaces' }, jobs, { shared })
    onTestFinished(() => sandbox.close())
    sandbox.keepSpare()
    let inside: number | undefined
    await vi.waitFor(() => {
      inside = launchers().flatMap((pid) => childrenOf(pid))[0]
      expect(readFileSync(`/proc/${inside}/mounts`, 'utf8')).toContain(hostLayer)
    }, patience)
    let count = 0
    const place = () => {
      const own = join(jobs, String(count++))
      mkdirSync(own, { mode: 0o700 })
      const reserved = sandbox.reserve({ folder: own, limits, workFolder: '/' })
      onTestFinished(() => reserved.release())
      return reserved
    }
    return { sandbox, inside: inside!, place }
  }

  async function outputOf(place: Place, script: string): Promise<string> {
    const mounted = await place.mount(tree)
    const command = ['/bin/sh', '-c', script]
    const job = mounted.start({ command, environment: jobEnvironment({}, {}), admit: () => {} })
    const [said] = await Promise.all([text(job.stdout), text(job.stderr), job.exited])
    return said
  }

  test.for([
    { name: 'was removed on the host', spoil: () => rmSync(hostLayer, { recursive: true }) },
    {
      name: 'is another folder there',
      spoil: () => {
        renameSync(hostLayer, `${hostLayer}.moved`)
        onTestFinished(() => rmSync(`${hostLayer}.moved`, { recursive: true }))
        mkdirSync(hostLayer, { mode: 0o700 })
      },
    },
  ])('whose mount point $name is replaced: the job starts anyway', async ({ spoil }) => {
    const { place } = await openReady()
    spoil()
    const script = 'echo text > /root/file; cat /root/file; grep " / " /proc/mounts'
    const said = await outputOf(place(), script)
    expect(said).toMatch(/^text\noverlay \/ overlay /)
    expect(existsSync(hostLayer) ? readdirSync(hostLayer) : []).toEqual([])
  })

  test('that was killed is replaced: the job starts anyway', async () => {
    const { place, inside } = await openReady()
    const taken = place()
    const said = outputOf(taken, 'echo here')
    process.kill(inside, 'SIGKILL')
    expect(await said).toBe('here\n')
  })

  test('is what a job gets whose own file system is damaged, once that is discarded', async () => {
    const { place } = await openReady()
    const damaged = place()
    const script = 'cat /root/file; echo text > /root/file'
    expect(await outputOf(damaged, script)).toBe('')
    expect(await outputOf(damaged, script)).toBe('text\n')
    const [jobs = ''] = readdirSync(folder.path)
      .filter((name) => name.startsWith('jobs-'))
      .slice(-1)
    const file = join(folder.path, jobs, '0', 'storage.ext4')
    // Everything after the superblock and the groups: their checksums no longer fit.
    execFileSync(
      'dd',
      ['if=/dev/urandom', `of=${file}`, 'bs=4k', 'seek=2', 'count=4096', 'conv=notrunc'],
      {
        stdio: 'ignore',
      },
    )
    const error = await thrownBy(() => damaged.mount(tree))
    expect(isRootDamage(error), String(error)).toBe(true)
    await damaged.discardRoot()
    expect(await outputOf(damaged, script)).toBe('')
  })

  test('that hangs is discarded with the mount that waits for it', async () => {
    const { place, inside } = await openReady()
    process.kill(inside, 'SIGSTOP')
    const stop = new AbortController()
    const mounting = thrownBy(() => place().mount(tree, { signal: stop.signal }))
    setTimeout(() => stop.abort(new Error('stopped by the test')), 100)
    expect(await mounting).toMatchObject({ message: 'stopped by the test' })
    await vi.waitFor(() => expect(existsSync(`/proc/${inside}`)).toBe(false), patience)
  })
})
