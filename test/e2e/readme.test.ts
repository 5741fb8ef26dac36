/** The examples in the README do what it says. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { methodFacts } from '@causeway/guest-sdk'
import { parseDeployment, parseManifest } from '@causeway/manifest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { causeway, run, serve } from '../support/causeway.ts'
import { writeDeployment } from '../support/deployment.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

let readme: string
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let deployment: string

beforeAll(async () => {
  readme = await readFile(join(repository, 'README.md'), 'utf8')
  folder = await temporaryFolder()
  deployment = join(folder.path, 'deployment.json')
  await writeFile(deployment, '{"id":"3510"}')
})
afterAll(() => folder[Symbol.asyncDispose]())

/** The code blocks in a language, in order. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code!)

test.for([
  {
    name: 'Python',
    command: () => ['python3', '-c', blocks('python')[0]!],
    lines: /^\{'bytes': '[0-9a-f]{128}'\}\n$/,
  },
  {
    name: 'Node',
    command: () => [process.execPath, '--input-type=module', '-e', blocks('js')[0]!],
    lines: /^[0-9a-f]{128}\n$/,
  },
])('the job in $name', async ({ command, lines }) => {
  await using bridge = await serve([deployment, '--state', folder.path])
  const [program, ...args] = command()
  const env = { ...process.env, BRIDGE_SOCKET: bridge.ready.socket }
  const result = await run(program!, args, { env, cwd: repository })
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toMatch(lines)
})

test('the Python file is a complete job', async () => {
  const file = await writeDeployment(join(folder.path, 'job'), {
    image: await recipeImage('python'),
    entrypoint: 'job.py',
    files: { 'job.py': blocks('python')[0]! },
  })
  const state = join(folder.path, 'job-state')
  const result = await causeway(['run', file, '--state', state, '--allow-local-images', '--quiet'])
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toMatch(/^\{'bytes': '[0-9a-f]{128}'\}\n$/)
})

test('the files beside the job are valid', () => {
  const [manifest, file] = blocks('json')
  const filled = manifest!.replace('<sha256 of the archive>', 'ab'.repeat(32))
  expect(parseManifest(filled, 'manifest.json').warnings).toEqual([])
  expect(parseDeployment(file!, '/deployment.json').warnings).toEqual([])
})

test('the table names every method and no other', () => {
  const named = [...readme.matchAll(/^\| `([\w.]+)` /gm)].map(([, name]) => name)
  expect(named).toEqual(Object.keys(methodFacts))
})
