/**
 * The kit against `causeway serve`, and against bridges with one fault each, which must fail in
 * the rows about it and in no other.
 */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run, serve } from '../support/causeway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startBrokenBridge } from './broken-bridge.ts'
import { faults, ids } from './faults.ts'
import { allChecks } from './kit/src/checks/all-checks.ts'
import { conformance } from './kit/src/conformance.ts'
import type { Report } from './kit/src/report.ts'

const isBuilt = existsSync(new URL('../../runtime/dist/main.js', import.meta.url))
const command = fileURLToPath(new URL('kit/dist/main.js', import.meta.url))
const testTimeoutMs = 120_000

const failedIds = (report: Report) =>
  report.rows.filter(({ status }) => status === 'failed').map(({ id }) => id)
const skippedIds = (report: Report) =>
  report.rows.filter(({ status }) => status === 'skipped').map(({ id }) => id)

test('every check has an id and a title of its own', () => {
  const all = allChecks.map(({ id }) => id)
  expect(new Set(all).size).toBe(all.length)
  for (const { id, section, title } of allChecks) {
    expect(id).toMatch(/^[a-z]+(?:\.[a-z0-9-]+)$/)
    expect({ section, title }).toEqual({
      section: expect.stringMatching(/./),
      title: expect.stringMatching(/./),
    })
  }
})

describe.skipIf(!isBuilt)('the conformance kit; needs a build', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let host: Awaited<ReturnType<typeof serve>>
  const serveDeployment = async (name: string, deployment: object, ...flags: string[]) => {
    const file = join(folder.path, `${name}.json`)
    await writeFile(file, JSON.stringify(deployment))
    return serve([file, '--state', join(folder.path, 'state'), ...flags])
  }

  beforeAll(async () => {
    folder = await temporaryFolder()
    host = await serveDeployment('whole', { id: '3510' })
  }, 30_000)
  afterAll(async () => {
    await host[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('passes against causeway serve', { timeout: testTimeoutMs }, async () => {
    const report = await conformance(host.ready.socket)
    expect(report.rows.filter(({ status }) => status === 'failed')).toEqual([])
    expect(report.rows.map(({ id }) => id)).toEqual(allChecks.map(({ id }) => id))
    expect(report.counts.passed).toBeGreaterThan(150)
  })

  test.for(faults)('finds: $name', { timeout: testTimeoutMs }, async ({ fault, failed }) => {
    await using bridge = await startBrokenBridge(host.ready.socket, fault)
    const report = await conformance(bridge.name, { timeoutMs: 3000 })
    expect(failedIds(report).sort()).toEqual([...failed].sort())
  })

  test('fails everywhere on a bridge that never answers', { timeout: testTimeoutMs }, async () => {
    await using bridge = await startBrokenBridge(host.ready.socket, { intercept: () => true })
    const report = await conformance(bridge.name, { timeoutMs: 50 })
    expect(failedIds(report)).toEqual(allChecks.map(({ id }) => id))
    expect(report.rows[3]!.detail).toEqual({ expected: 'a reply', found: 'no reply within 50 ms' })
  })

  test('skips what the deployment may not call', { timeout: testTimeoutMs }, async () => {
    const policy = { methods: ['processor_*'] }
    await using restricted = await serveDeployment('restricted', { id: '3511', policy })
    const report = await conformance(restricted.ready.socket)
    expect(failedIds(report)).toEqual([])
    expect(skippedIds(report)).toEqual(expect.arrayContaining(ids('sign.')))
    expect(skippedIds(report)).toEqual(expect.arrayContaining(ids('deployment.')))
  })

  test('checks methods above the version that the bridge advertises', async () => {
    const config = join(folder.path, 'config.toml')
    await writeFile(config, '[bridge]\nlevel = "1.25.0"\n')
    await using older = await serveDeployment('older', { id: '3512' }, '--config', config)
    const checks = allChecks.filter(({ id }) => /^(?:version|discover)\./.test(id))
    const { counts } = await conformance(older.ready.socket, { checks })
    expect(counts).toEqual({ passed: checks.length, failed: 0, skipped: 0 })
  })

  describe('the command', () => {
    const kit = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      run(process.execPath, [command, ...args], { env: { PATH: process.env['PATH'], ...env } })

    test('prints a table and writes the report', async () => {
      const json = join(folder.path, 'report.json')
      const only = ['--only', 'line.lf', '--only', 'batch.*', '--only', 'version.*']
      const result = await kit([...only, '--json', json], { BRIDGE_SOCKET: host.ready.socket })
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
        bridge: host.ready.socket,
        counts: { passed: 4, failed: 0, skipped: 1 },
        rows: [{ id: 'line.lf', profile: 'spec', status: 'passed' }, {}, {}, {}, {}],
      })
    })

    test('ends with 1 and shows what was expected and found', async () => {
      const fault = { reply: (text: string) => text.replace('"id":42', '"id":"42"') }
      await using bridge = await startBrokenBridge(host.ready.socket, fault)
      const result = await kit(['--socket', bridge.name, '--only', 'id.integer'])
      expect(result.code).toBe(1)
      expect(result.stdout).toContain('\n    expected  id 42\n    found     "42"\n')
    })

    test('the profile spec leaves out what only Causeway decides', async () => {
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
})
