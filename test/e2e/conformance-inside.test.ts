/** The conformance kit as a job: a Node inside the image calls the deployment's own socket. */
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { causeway } from '../support/causeway.ts'
import { writeDeployment } from '../support/deployment.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const kit = fileURLToPath(new URL('../conformance/kit', import.meta.url))
const isProgram = (path: string) => !/\.(?:ts|map)$/.test(path)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let image: { url: string; sha256: string }

beforeAll(async () => {
  folder = await temporaryFolder()
  image = await recipeImage('node')
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Makes the deployment's folder with the files that the kit's README says to copy. */
async function deployKit(job: string): Promise<string> {
  const file = await writeDeployment(join(folder.path, 'job'), { image, files: { 'job.sh': job } })
  await cp(join(kit, 'package.json'), join(dirname(file), 'package.json'))
  await cp(join(kit, 'dist'), join(dirname(file), 'dist'), { recursive: true, filter: isProgram })
  return file
}

test('passes from inside the image', { timeout: 120_000 }, async () => {
  const file = await deployKit('exec node dist/main.js\n')
  const state = join(folder.path, 'state')
  const result = await causeway(['run', file, '--state', state, '--allow-local-images', '--quiet'])
  expect(result.code, result.stdout + result.stderr).toBe(0)
  expect(result.stdout).toMatch(/^\d+ checks: \d{3} passed, 0 failed, \d+ skipped, [\d.]+ s$/m)
})
