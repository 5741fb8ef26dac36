/** The kit's compiled command. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../support/causeway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startBrokenBridge } from './broken-bridge.ts'
import { allChecks } from './kit/src/checks/all-checks.ts'
import type { Report } from './kit/src/report.ts'
import { isBuilt, serveDeployment, type ServedDeployment } from './serve-deployment.ts'

const command = fileURLToPath(new URL('kit/dist/main.js', import.meta.url))

const kit = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run(process.execPath, [command, ...args], { env: { PATH: process.env['PATH'], ...env } })

describe.skipIf(!isBuilt)('the command; needs a build', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let host: ServedDeployment

  beforeAll(async () => {
    folder = await temporaryFolder()
    // Without limits the bridge ends no connection by itself.
    host = await serveDeployment({ flags: ['--no-limits'] })
  }, 30_000)
  afterAll(async () => {
    await host[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('prints a table and writes the report', async () => {
    const json = join(folder.path, 'report.json')
    const only = ['--only', 'line.lf', '--only', 'batch.*', '--only', 'version.*']
    const result = await kit([...only, '--json', json], { BRIDGE_SOCKET: host.socket })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    const lines = result.stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^section +check +what holds +outcome$/)
    expect(lines[1]).toMatch(
      /^Endpoints, Transport rule 2 +line.lf +a line may end in \\n +passed$/,
    )
    expect(lines.at(-2)).toMatch(/version.new-methods .* skipped: the bridge advertises 1.27.0$/)
    expect(lines.at(-1)).toMatch(/^5 checks: 4 passed, 0 failed, 1 skipped, [\d.]+ s$/)
    const report = JSON.parse(await readFile(json, 'utf8')) as Report
    expect(report).toMatchObject({
      bridge: host.socket,
      counts: { passed: 4, failed: 0, skipped: 1 },
      rows: [{ id: 'line.lf', profile: 'spec', status: 'passed' }, {}, {}, {}, {}],
    })
  })

  test('ends with 1 and shows what was expected and found', async () => {
    const fault = { reply: (text: string) => text.replace('"id":42', '"id":"42"') }
    await using bridge = await startBrokenBridge(host.socket, fault)
    const result = await kit(['--socket', bridge.name, '--only', 'id.integer'])
    expect(result.code).toBe(1)
    expect(result.stdout).toContain('\n    expected  id 42\n    found     "42"\n')
  })

  test('ends when 1,000 connections are abandoned', { timeout: 60_000 }, async () => {
    const only = ['--only', 'crowd.thousand', '--timeout', '5']
    const { signal, stdout, stderr } = await kit(['--socket', host.socket, ...only])
    expect(signal).toBeNull()
    // How far it gets in 5 ms depends on the machine.
    expect(stdout + stderr).toMatch(/^1 checks: |cannot be reached: none within 5 ms/m)
  })

  test('ends with 2 when the report cannot be written, before it runs anything', async () => {
    const json = join(folder.path, 'no', 'report.json')
    const result = await kit(['--socket', host.socket, '--json', json])
    expect(result).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toContain(`ENOENT: no such file or directory, open '${json}'`)
  })

  test('the profile spec leaves out decisions of Causeway', async () => {
    const result = await kit(['--list', '--profile', 'spec'])
    const listed = result.stdout.trimEnd().split('\n')
    expect(listed).toHaveLength(allChecks.filter(({ profile }) => !profile).length)
    expect(result.stdout).not.toMatch(/ causeway$/m)
  })

  test.for([
    { args: [], says: '--socket: expected a name' },
    { args: ['--socket', 'x'.repeat(108)], says: 'expected 1 to 107 bytes, found 108' },
    { args: ['--socket', 'x', '--only', 'nonsense'], says: '--only "nonsense": no check' },
    { args: ['--socket', 'x', '--timeout', '0'], says: '--timeout: expected 1 to 600000' },
    { args: ['--socket', 'x', '--profile', 'x'], says: '--profile: expected spec or causeway' },
    { args: ['--nonsense'], says: '--nonsense' },
    { args: ['--socket', 'nobody-listens'], says: '"nobody-listens" cannot be reached' },
  ])('ends with 2: $says', async ({ args, says }) => {
    const result = await kit(args)
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) })
  })
})
