/**
 * The bridge's engine with hostile clients and the signer with hostile bytes, with the address and
 * undefined-behaviour sanitizers compiled in, in an ordinary Node.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSanitized, runSanitized } from '../support/sanitizer-build.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url))

// Each outcome proves that its part of the scenario reached the native code.
const engineOutcomes = [
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

const signerOutcomes = [
  'setKey true',
  'setKey false',
  'signed',
  'encrypted',
  'decrypted',
  'BAD_PUBLIC_KEY',
  'DECRYPT_FAILED',
  'refused after destroy',
]

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
  await buildSanitized(folder.path)
})
afterAll(() => folder[Symbol.asyncDispose]())

test.each([
  {
    name: 'engine, whatever the clients do',
    scenario: 'sanitizer-scenario.ts',
    happened: engineOutcomes,
  },
  {
    name: 'signer, whatever the bytes are',
    scenario: 'sanitizer-signer.ts',
    happened: signerOutcomes,
  },
])(
  'no memory error and nothing undefined: $name',
  async ({ scenario, happened }) => {
    const { code, signal, stdout, stderr } = await runSanitized(pathOf(scenario), [
      join(folder.path, 'src', 'index.ts'),
    ])
    // stderr would have the sanitizers' report.
    expect(stderr).toBe('')
    expect({ code, signal }).toEqual({ code: 0, signal: null })
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(expect.arrayContaining(happened))
  },
  180_000,
)
