/**
 * The programs beside the addon on the other machine they are written for: with the flags that
 * binding.gyp gives them, by Debian's cross compiler, and those without a libc also run.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileTarget } from '../../support/native-target.ts'
import { ended, folder, isInstalled } from './job.ts'

const emulator = 'qemu-aarch64-static'

const crossCompiled = (name: string) =>
  compileTarget(folder, name, { compiler: 'aarch64-linux-gnu-gcc' })

/** The machine's number in an ELF header. */
const machine = (program: string) => readFileSync(program).readUInt16LE(18)
const aarch64 = 183

describe.skipIf(!isInstalled('aarch64-linux-gnu-gcc'))('on aarch64', () => {
  it.each(['bridge-launch', 'bridge-guest-init', 'bridge-canary', 'bridge-unpack'])(
    '%s compiles without a warning',
    async (name) => expect(machine(await crossCompiled(name))).toBe(aarch64),
  )

  describe.skipIf(!isInstalled(emulator))('bridge-guest-init', () => {
    let init: string
    beforeAll(async () => {
      init = await crossCompiled('bridge-guest-init')
    })

    const run = async (script: string, environment: string) => {
      const child = spawn(emulator, [init], { stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] })
      ;(child.stdio[3] as Writable).end(`/bin/sh\0-c\0${script}\0\0${environment}`)
      const { stdout, records } = await ended(child)
      const lines = Array.from({ length: records.length / 8 }, (_none, index) => [
        String.fromCharCode(records[8 * index]!),
        records.readUInt32LE(8 * index + 4),
      ])
      return { stdout, records: Object.fromEntries(lines) as Record<string, number> }
    }

    it.each([
      ['exit 3', 3 << 8],
      ['kill -9 $$', 9],
      ['(sleep 0.1; exit 7) & exit 3', 3 << 8],
    ])('reports the end of %s', async (script, status) => {
      expect((await run(script, 'PATH=/bin\0')).records).toMatchObject({ X: status })
    })

    it('gives the environment and no other', async () => {
      const { stdout } = await run('env -0', 'PATH=/bin\0A=1 2\0')
      expect(stdout.split('\0')).toEqual(expect.arrayContaining(['A=1 2', 'PATH=/bin']))
      expect(stdout).not.toContain('HOME=')
    })
  })

  it.skipIf(!isInstalled(emulator))('bridge-canary tells which files are seen', async () => {
    const canary = await crossCompiled('bridge-canary')
    const seen = join(folder, 'seen')
    await writeFile(seen, '')
    const { stdout, code } = await ended(spawn(emulator, [canary, seen, join(folder, 'missing')]))
    expect(code).toBe(0)
    for (const call of ['openat', 'stat', 'statx', 'faccessat', 'statfs']) {
      expect(stdout).toContain(`${call} seen hidden\n`)
    }
  })
})
