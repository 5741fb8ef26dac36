/** A fresh clone with only npm: the bin is linked, set-up works, and is quiet the second time. */
import { access, cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../support/causeway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// It builds all that is native, beside other tests.
vi.setConfig({ testTimeout: 300_000 })

const repository = fileURLToPath(new URL('../..', import.meta.url))

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let clone: string

beforeAll(async () => {
  folder = await temporaryFolder()
  clone = join(folder.path, 'clone')
  const cloned = await run('git', [
    '-c',
    `safe.directory=${repository}.git`,
    'clone',
    '--quiet',
    repository,
    clone,
  ])
  expect(cloned).toMatchObject({ code: 0 })
})
afterAll(() => folder[Symbol.asyncDispose]())

const shell = (command: string) => run('sh', ['-c', command], { cwd: clone })

test('set-up links and builds the command, and prints nothing the second time', async () => {
  // What this checkout has built of the same sources is not built again. Continuous integration
  // builds it in a fresh clone, too.
  await cp(join(repository, 'native/build'), join(clone, 'native/build'), { recursive: true })
  const first = await shell('node setup.mjs')
  expect(first.code, first.stderr).toBe(0)
  expect(first.stdout).toContain('✓ bundle of the command')
  await access(join(clone, 'node_modules/.bin/causeway'))
  expect(await shell('npx --no-install causeway version')).toMatchObject({ code: 0 })
  expect(await shell('node setup.mjs')).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
})

test('a command that is not built says what to type; set-up builds removed files again', async () => {
  for (const removed of ['images/dist', 'runtime/dist'])
    await rm(join(clone, removed), { recursive: true })
  expect(await shell('npx --no-install causeway version')).toMatchObject({
    code: 125,
    stderr: expect.stringContaining('npm run setup'),
  })
  expect((await shell('node setup.mjs')).stdout).toContain('✓ TypeScript build')
  expect(await shell('npx --no-install causeway version')).toMatchObject({ code: 0 })
})

test('set-up on another system reports it before it changes anything', async () => {
  const script = await readFile(join(clone, 'setup.mjs'), 'utf8')
  const elsewhere = join(folder.path, 'os-release')
  await writeFile(elsewhere, 'ID=other\nVERSION_ID="9"\n')
  await writeFile(join(clone, 'setup-elsewhere.mjs'), script.replace('/etc/os-release', elsewhere))
  const result = await shell('node setup-elsewhere.mjs')
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toMatch(/^setup: expected Debian 12, found other 9/)
})

test('the lock file names no registry', async () => {
  for (const lock of ['package-lock.json', 'test/node-versions/package-lock.json']) {
    expect(await readFile(join(clone, lock), 'utf8')).not.toMatch(/"resolved": "https?:/)
  }
})

test('set-up without its requirements says what to type', async () => {
  const nothing = join(folder.path, 'no-programs')
  const result = await run(process.execPath, ['setup.mjs'], { cwd: clone, env: { PATH: nothing } })
  expect(result.code).toBe(1)
  expect(result.stderr).toMatch(
    /^setup: this system has no apt-get; install by its own means: .*proot/,
  )
})
