/**
 * The bridge's engine under hostile clients, with the address and undefined-behaviour sanitizers
 * compiled in, in a plain Node.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSanitized, runSanitized } from '../support/sanitizer-build.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const scenario = fileURLToPath(new URL('../support/sanitizer-scenario.ts', import.meta.url))

// Each proves that its part of the scenario reached the engine.
const happened = [
  'whole answered',
  'split answered',
  'half_close answered',
  'oversize answered',
  'slow_reader answered',
  'hang_up closed',
  'member answered',
  'traced answered',
  'refused tracer',
]

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
  await buildSanitized(folder.path)
})
afterAll(() => folder[Symbol.asyncDispose]())

test('no memory error and nothing undefined, whatever the clients do', async () => {
  const { code, signal, stdout, stderr } = await runSanitized(scenario, [
    join(folder.path, 'src', 'index.ts'),
  ])
  // The sanitizers' report, if there is one.
  expect(stderr).toBe('')
  expect({ code, signal }).toEqual({ code: 0, signal: null })
  expect(Object.keys(JSON.parse(stdout) as object)).toEqual(expect.arrayContaining(happened))
}, 180_000)
