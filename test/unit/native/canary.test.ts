/**
 * The canary as a program: it must see what a sandbox without a filter shows, or it would vouch for
 * anything.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { nativePaths } from '@causeway/native'
import { ended, folder, isInstalled, isRoot, ordinaryUid, run, ways } from './job.ts'

const calls = 'openat openat-path openat2 stat statx faccessat faccessat2 statfs open_tree'.split(
  ' ',
)
const root = join(folder, 'canary-root')
const canary = join(root, 'canary')
const inside = join(root, 'marker')
const outside = join(folder, 'outside')

beforeAll(() => {
  mkdirSync(root)
  copyFileSync(nativePaths.canary, canary)
  chmodSync(canary, 0o755)
  for (const path of [inside, outside]) writeFileSync(path, '')
  if (isRoot) execFileSync('chown', ['-R', `${ordinaryUid}:${ordinaryUid}`, root])
})

/** Call → what it found of the guest's file, and of the host's. */
function parse(text: string): Record<string, string> {
  const lines = text.trimEnd().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/ (.*)/).slice(0, 2))) as Record<
    string,
    string
  >
}

const all = (answer: string) => Object.fromEntries(calls.map((call) => [call, answer]))

describe('on the host', () => {
  const look = async (...args: string[]) => ended(spawn(canary, args))

  it('sees both by every call, also where no call may be given up', async () => {
    const { stdout, code } = await look(inside, outside)
    expect(code).toBe(0)
    expect(parse(stdout)).toMatchObject({ ...all('seen seen') })
    expect(Object.keys(parse(stdout))).toEqual(calls)
  })

  it('sees what is not there by none', async () => {
    const { stdout } = await look(inside, join(folder, 'missing'))
    expect(parse(stdout)).toEqual(all('seen hidden'))
  })

  it.each([[[]], [['/']], [['/', '/', '/']]])('wants two paths, not %j', async (args) => {
    expect(await look(...args)).toMatchObject({ code: 2, stdout: '' })
  })
})

describe.skipIf(!isInstalled('proot')).each(ways)('under PRoot, started by $way', (way) => {
  const proot = () => execFileSync('sh', ['-c', 'command -v proot'], { encoding: 'utf8' }).trim()
  const look = async (...filter: string[]) => {
    const guest = [proot(), '-v', '-1', '-r', root, '-b', '/proc', '-w', '/', '/canary']
    const options = [...way.options, ...filter, '--env', 'PROOT_NO_SECCOMP=1']
    const args = [...options, '--', ...guest, '/marker', outside]
    const { stdout, stderr } = await run(way.starter, args)
    expect(stderr).toBe('')
    return parse(stdout)
  }

  it('sees its own file only, where calls that are not translated are absent', async () => {
    const found = await look('--filter', 'traced-no-statx')
    for (const call of ['openat', 'openat-path', 'stat', 'faccessat', 'statfs']) {
      expect(found[call], call).toBe('seen hidden')
    }
    for (const call of ['openat2', 'statx', 'faccessat2', 'open_tree']) {
      expect(found[call], call).toBe('nosys nosys')
    }
  })

  it('sees the host without them', async () => {
    const found = await look()
    // No PRoot of Debian translates this one.
    expect(found['open_tree']).toBe('hidden seen')
  })
})
