import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setTimeout as pause } from 'node:timers/promises'
import { canLimitStorage } from '../../../runtime/src/sandbox/storage/storage.ts'
import { launch } from './job.ts'
import {
  inRoot,
  kinds,
  makePlace,
  mountsBelow,
  runScript,
  stage,
  type Kind,
  type Place,
} from './launcher-place.ts'

const bytes = 8 * 1024 * 1024
const rootKinds = kinds.filter(({ owner, treeOwner }) => owner !== treeOwner)
const isUsable = rootKinds.length > 0 && (await canLimitStorage(tmpdir()))

/** A place whose layer lies in a file system of its own. */
function makeSmallPlace(kind: Kind): { place: Place; file: string; options: string[] } {
  const place = makePlace(kind)
  const [file, mounted] = [join(place.folder, 'storage.ext4'), join(place.folder, 'storage')]
  writeFileSync(file, '')
  truncateSync(file, bytes)
  execFileSync('/usr/sbin/mkfs.ext4', ['-q', '-F', '-m', '0', '-O', '^has_journal', file])
  mkdirSync(mounted)
  const small = { ...place, upper: join(mounted, 'upper'), work: join(mounted, 'work') }
  return { place: small, file, options: ['--storage', `${file}:${mounted}`] }
}

/** Loop devices that a file stands behind. */
function devicesOf(file: string): string[] {
  return readdirSync('/sys/block').filter((name) => {
    const backing = `/sys/block/${name}/loop/backing_file`
    return existsSync(backing) && readFileSync(backing, 'utf8').includes(file)
  })
}

/** The kernel frees a device a moment after its last user is gone. */
async function untilFree(file: string): Promise<void> {
  const deadline = Date.now() + 10_000
  while (devicesOf(file).length > 0) {
    if (Date.now() > deadline) throw new Error(`${file} still has ${devicesOf(file).join(', ')}`)
    await pause(5)
  }
}

describe.skipIf(!isUsable).each(rootKinds)(
  'a file system for what $kind writes (only for root)',
  (kind) => {
    const root = inRoot(kind, '')
    const box = inRoot(kind, '/bin/busybox')

    it('is full at its size', async () => {
      const { place, file, options } = makeSmallPlace(kind)
      const script = `${box} dd if=/dev/zero of=${root}/big bs=64k; ${box} stat -c %s ${root}/big; ${box} df -k ${root}/big | ${box} tail -1`
      const { stdout, stderr } = await runScript(kind, place, script, options)
      expect(stderr).toMatch(/No space left on device/)
      const size = Number(stdout.split('\n')[0])
      expect(size).toBeGreaterThan(bytes / 2)
      expect(size).toBeLessThan(bytes)
      await untilFree(file)
    })

    it('keeps what was written for the next run, and nothing outside of the file', async () => {
      const { place, file, options } = makeSmallPlace(kind)
      await runScript(kind, place, `echo 1 > ${root}/count`, options)
      await untilFree(file)
      expect(existsSync(place.upper)).toBe(false)
      expect(mountsBelow(place.folder)).toEqual([])
      expect((await runScript(kind, place, `cat ${root}/count`, options)).stdout).toBe('1\n')
      await untilFree(file)
    })

    it.each(['launcher', 'child'] as const)('is let go when the %s is killed', async (victim) => {
      const { place, file, options } = makeSmallPlace(kind)
      const program = [box, 'sh', '-c', `echo ready; ${box} sleep 300`]
      const child = launch(kind.starter, [...stage(kind, place), ...options, '--', ...program])
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child.stdout!, 'data')
      expect(devicesOf(file)).toHaveLength(1)
      const pid = victim === 'launcher' ? child.pid! : firstChild(child.pid!)
      process.kill(pid, 'SIGKILL')
      await once(child, 'exit')
      await untilFree(file)
      expect(mountsBelow(place.folder)).toEqual([])
    })

    it('is refused when it is no file system, or a link to another file', async () => {
      const { place, options, file } = makeSmallPlace(kind)
      writeFileSync(file, Buffer.alloc(1024 * 1024))
      const bad = await runScript(kind, place, 'exit 0', options)
      expect(bad).toMatchObject({ code: 125, stdout: '' })
      expect(bad.stderr).toMatch(/^bridge-launch: storage .*storage: Invalid argument/)
      await untilFree(file)
      const link = join(place.folder, 'link')
      execFileSync('ln', ['-s', file, link])
      const linked = await runScript(kind, place, 'exit 0', [
        '--storage',
        `${link}:${place.folder}`,
      ])
      expect(linked.stderr).toMatch(
        /^bridge-launch: storage .*link: Too many levels of symbolic links/,
      )
      expect(statSync(file).size).toBe(1024 * 1024)
    })
  },
)

it.runIf(!isUsable)('a file system for what a job writes', ({ skip }) => {
  skip('only for root, with loop devices and e2fsprogs')
  expect(isUsable).toBe(false)
})

function firstChild(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])
}
