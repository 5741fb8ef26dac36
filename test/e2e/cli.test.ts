/** The command as an operator uses it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causeway } from '../support/causeway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const commands = ['run', 'serve', 'validate', 'version', 'demo', 'keys', 'audit', 'doctor']

describe('help', () => {
  test('names every command', async () => {
    const { code, stdout } = await causeway(['--help'])
    expect(code).toBe(0)
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command}`, 'm'))
  })

  test.for(commands)('for %s', async (command) => {
    const { code, stdout } = await causeway([command, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: causeway ${command}`)
  })

  test.for([[], ['nonsense'], ['run'], ['serve', 'a', '--nonsense']])(
    'wrong arguments %j exit with 2',
    async (args) => {
      expect((await causeway(args)).code).toBe(2)
    },
  )
})

describe('version', () => {
  test('as JSON', async () => {
    const { stdout } = await causeway(['version', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      causeway: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      bridge: '1.27.0',
      node: process.versions.node,
    })
  })
})

describe('validate', () => {
  const image = { url: 'https://example.com/i.tar.xz', sha256: 'ab'.repeat(32) }

  test('a correct manifest, with a warning for an unknown field', async () => {
    const file = join(folder.path, 'manifest.json')
    await writeFile(file, JSON.stringify({ version: 1, entrypoint: 'a', image, colour: 1 }))
    const result = await causeway(['validate', file])
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain('colour')
    expect(result.stdout).toContain(`✓ ${file}`)
  })

  test('every fault at once, as JSON', async () => {
    const file = join(folder.path, 'manifest.json')
    await writeFile(file, JSON.stringify({ version: 2, image: { ...image, sha256: 'short' } }))
    const { code, stdout } = await causeway(['validate', file, '--json'])
    expect(code).toBe(1)
    const { ok, issues } = JSON.parse(stdout) as {
      ok: boolean
      issues: { path: string; line: number }[]
    }
    expect(ok).toBe(false)
    expect(issues.map(({ path }) => path).sort()).toEqual(['entrypoint', 'image.sha256', 'version'])
  })

  test('a missing file', async () => {
    const { code, stdout } = await causeway(['validate', join(folder.path, 'nothing.json')])
    expect(code).toBe(1)
    expect(stdout).toContain('expected a manifest or a deployment file, found nothing there')
  })
})

describe('configuration', () => {
  test.for([
    { toml: 'nonsense = 1', says: 'nonsense: there is no such setting' },
    { toml: '[bridge]\nlevel = "9.0.0"', says: 'bridge.level: expected at most 1.27.0' },
    {
      toml: '[sandbox]\nbundlePath = "job"',
      says: 'sandbox.bundlePath: expected an absolute path',
    },
    { toml: 'a = ', says: 'config.toml' },
  ])('$toml', async ({ toml, says }) => {
    const config = join(folder.path, 'config.toml')
    const deployment = join(folder.path, 'd.json')
    await writeFile(config, toml)
    await writeFile(deployment, '{}')
    const result = await causeway([
      'serve',
      deployment,
      '--state',
      join(folder.path, 'state'),
      '--config',
      config,
    ])
    expect(result.code).toBe(78)
    expect(result.stderr).toContain(says)
  })
})
