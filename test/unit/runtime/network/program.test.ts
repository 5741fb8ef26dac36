import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, vi } from 'vitest'
import { longestProgramMs, runProgram } from '../../../../runtime/src/job-network/program.ts'
import { run } from '../../../support/causeway.ts'
import { test } from '../../../support/folder-fixture.ts'

afterEach(() => void vi.unstubAllEnvs())

/** Puts a script of that name first on PATH. */
function provide(folder: string, name: string, script: string): void {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
}

describe('a program that configures networks', () => {
  test('gets its input, and its output is the answer', async ({ folder }) => {
    provide(folder, 'nft', 'echo "$1"; cat')
    expect(await runProgram('nft', ['-f'], { input: 'table\n' })).toBe('-f\ntable\n')
  })

  test('that fails is reported with its first line', async ({ folder }) => {
    provide(
      folder,
      'nft',
      'echo "/dev/stdin:3:1-4: Error: no such rule" >&2; echo more >&2; exit 1',
    )
    await expect(runProgram('nft', [], {})).rejects.toThrow(/^nft: no such rule$/)
    provide(folder, 'tc', 'exit 7')
    await expect(runProgram('tc', [], {})).rejects.toThrow(/^tc: ended with 7$/)
  })

  test('that hangs is killed', async ({ folder }) => {
    provide(folder, 'ip', 'exec sleep 1000')
    const running = runProgram('ip', [], { longestMs: 200 })
    await expect(running).rejects.toThrow(/^ip: still running after 200 ms$/)
  })

  test('has ten seconds', () => {
    expect(longestProgramMs).toBe(10_000)
  })

  test('that is missing does not keep the process alive', async () => {
    const source = new URL('../../../../runtime/src/job-network/program.ts', import.meta.url)
    const code = `const { runProgram } = await import('${source.href}')
await runProgram('no-such-program', [], { longestMs: 600_000 }).catch(() => console.log('missing'))`
    const node = ['--conditions=@causeway/source', '--import', 'tsx', '--input-type=module']
    expect(await run(process.execPath, [...node, '--eval', code])).toMatchObject({
      code: 0,
      stdout: 'missing\n',
    })
  })

  test('that is missing is reported with the package to install', async ({ folder }) => {
    provide(
      folder,
      'nft',
      'echo "nsenter: failed to execute nft: No such file or directory" >&2; exit 127',
    )
    await expect(runProgram('nft', [], {})).rejects.toThrow(/apt-get install nftables/)
  })
})
