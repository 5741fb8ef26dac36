/**
 * A command loads what it needs when it is chosen, and nothing of what runs jobs and holds keys.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test as base } from 'vitest'
import { startControlServer } from '../../runtime/src/control/server.ts'
import { causewayBin, run, type Finished } from '../support/causeway.ts'
import { testStatus } from '../support/control-status.ts'
import { recordingLog } from '../support/recording-log.ts'
import { testSupervisor } from '../support/supervised-deployments.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = new URL('../../', import.meta.url)
const hook = fileURLToPath(new URL('../support/loaded-modules.mjs', import.meta.url))

interface Loading extends Finished {
  /**
   * Paths of modules from the checkout on, in order; those of Node are left out. A file of the bundled
   * command stands before the modules that it has been made of.
   */
  modules: string[]
}

interface BundledFile {
  /** Paths from the checkout on. */
  inputs: Record<string, { bytesInOutput: number }>
}

function withBundled(path: string): string[] {
  if (!path.startsWith('runtime/dist/command/')) return [path]
  const list = readFileSync(new URL('runtime/dist/command/modules.json', root), 'utf8')
  const { inputs } = (JSON.parse(list) as Record<string, BundledFile>)[path]!
  const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return [path, ...used.map(([input]) => input)]
}

const test = base.extend<{ folder: string; load(...args: string[]): Promise<Loading> }>({
  folder: async ({}, use) => {
    await using folder = await temporaryFolder()
    await use(folder.path)
  },
  load: async ({ folder }, use) => {
    const list = join(folder, 'modules')
    await use(async (...args) => {
      const env = { ...process.env, LOADED_MODULES: list }
      const end = await run(process.execPath, ['--import', hook, ...args], { env, cwd: root })
      const urls = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : []
      const ours = urls.filter((url) => url.startsWith(root.href))
      return { ...end, modules: ours.flatMap((url) => withBundled(url.slice(root.href.length))) }
    })
  },
})

/** What runs jobs, holds keys or reads documents. */
const heavy =
  /^(?:images|manifest|service)\/|^native\/src\/(?:index|signer|bridge-engine|network)|^runtime\/src\/(?:audit|bridge\/(?!level)|cgroup|config|daemon|deployment|doctor|host|job-network|network|sandbox|signer)\//

describe('no command for', () => {
  test.for(['version', '--help', 'keys --help', 'image build --help'])(
    '%s loads what runs jobs',
    async (words, { load }) => {
      const { code, modules } = await load(causewayBin, ...words.split(' '))
      expect(code).toBe(0)
      expect(modules).toContain('runtime/src/main.ts')
      expect(modules.filter((path) => heavy.test(path))).toEqual([])
    },
  )

  test.for([
    'ps --json',
    'inspect one',
    'logs one --tail 1',
    'stop one --grace 5',
    'start one',
    'rm one --force',
  ])('a daemon loads what runs jobs: %s', async (words, { folder, load }) => {
    await using host = await testSupervisor(folder)
    const { log } = recordingLog()
    const path = join(folder, 'control.sock')
    const options = { path, supervisor: host.supervisor, status: testStatus, log }
    const server = await startControlServer(options)
    await host.deploy('one')
    const { code, stderr, modules } = await load(
      causewayBin,
      ...words.split(' '),
      '--state',
      folder,
    )
    await server.close()
    expect(code, stderr).toBe(0)
    expect(modules).toContain('runtime/src/control/client.ts')
    expect(modules.filter((found) => heavy.test(found))).toEqual([])
  })
})

test('a command that needs keys is hardened before anything else is loaded', async ({ load }) => {
  const { modules } = await load(causewayBin, 'keys', 'show', 'nothing.json')
  const main = modules.indexOf('runtime/dist/command/main.js')
  const before = modules.slice(0, main).filter((path) => !path.startsWith('runtime/dist/command/'))
  expect(before).toContain('runtime/src/harden-first.ts')
  const others = /^(?!runtime\/bin\/causeway|runtime\/src\/harden-first|native\/src\/)/
  expect(before.filter((path) => others.test(path))).toEqual([])
  expect(modules.findIndex((path) => path.startsWith('runtime/src/signer/'))).toBeGreaterThan(main)
})

test('schemas of the control API load nothing of the daemon', async ({ load }) => {
  const script = `await import(import.meta.resolve('@causeway/runtime/control'))`
  const { code, stderr, modules } = await load('--input-type=module', '-e', script)
  expect(code, stderr).toBe(0)
  const others = modules.filter((path) => !path.startsWith('node_modules/valibot/'))
  expect(others).not.toEqual([])
  const schemas =
    /^runtime\/dist\/(?:control\/(?:protocol|limits)|supervisor\/(?:shown\/|log\/log-entry))/
  expect(others.filter((path) => !schemas.test(path))).toEqual([])
})
