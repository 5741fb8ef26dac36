import { execFile } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import { chooseBackend } from '../../../../runtime/src/signer/choose-backend.ts'
import { selfTest } from '../../../../runtime/src/signer/self-test.ts'
import type { SecretKeys } from '../../../../runtime/src/signer/backend.ts'
import { test } from '../../../support/folder-fixture.ts'
import { backends, native } from '../../../support/signer-backends.ts'

test('the native backend is chosen where it works, unless the setting is portable', async () => {
  expect((await chooseBackend('auto')).backend.name).toBe('native')
  expect((await chooseBackend('native')).backend.name).toBe('native')
  expect((await chooseBackend('portable')).backend.name).toBe('portable')
})

test.for(backends)('the $name backend passes the self-test', (backend) => {
  selfTest(backend)
})

const flipped = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, at) => byte ^ Number(at === 9))
test.for<{ name: string; broken: (keys: SecretKeys) => Partial<SecretKeys>; says: string }>([
  {
    name: 'one signature',
    broken: (keys) => ({
      sign: (slot, bytes) =>
        slot === 1 ? flipped(keys.sign(slot, bytes)) : keys.sign(slot, bytes),
    }),
    says: 'sign with secp256k1 gave a wrong answer',
  },
  {
    name: 'a derivation that does nothing',
    broken: (keys) => ({ sign: (slot, bytes) => keys.sign(slot > 4 ? 1 : slot, bytes) }),
    says: "sign with m/44'/1 gave a wrong answer",
  },
  {
    name: 'decryption',
    broken: () => ({ decrypt: () => 'DECRYPT_FAILED' as const }),
    says: 'decrypt with p256 gave a wrong answer',
  },
])('the self-test finds: $name', ({ broken, says }) => {
  const openKeys: typeof native.openKeys = (given) => {
    const keys = native.openKeys(given)
    return { ...keys, ...broken(keys) }
  }
  expect(() => selfTest({ openKeys })).toThrow(says)
})

test('a missing native addon is an error that names the build command', async ({ folder }) => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  // A copy of the package in its state before the build.
  for (const name of ['package.json', 'src'])
    cpSync(join(root, 'native', name), join(folder, name), { recursive: true })
  rmSync(join(folder, 'build'), { recursive: true, force: true })
  const script = `
    import { loadSigner } from ${JSON.stringify(join(folder, 'src/signer.ts'))}
    try { loadSigner() } catch (error) { console.log(error.code, error.message) }`
  const args = ['--import', fileURLToPath(import.meta.resolve('tsx')), '--input-type=module', '-e']
  const { stdout } = await promisify(execFile)(process.execPath, [...args, script])
  expect(stdout.trim()).toBe(
    'ERR_NATIVE_NOT_BUILT the native addon bridge_signer.node is missing or does not load: run `npm run build:native`',
  )
})

test.for([
  { code: 'ERR_NATIVE_NOT_BUILT', says: 'npm run build:native' },
  { code: undefined, says: 'report this' },
])('the remedy is that of the failure: $code', async ({ code, says }) => {
  vi.resetModules()
  vi.doMock('../../../../runtime/src/signer/native-backend.ts', () => ({
    nativeBackend: () => {
      throw Object.assign(new Error('no'), { code })
    },
  }))
  const { chooseBackend: choose } = await import('../../../../runtime/src/signer/choose-backend.ts')
  expect((await choose('auto')).remedy).toContain(says)
})

test('without native signer, auto takes portable with a reason, and native is an error', async () => {
  vi.resetModules()
  vi.doMock('../../../../runtime/src/signer/native-backend.ts', () => ({
    nativeBackend: () => {
      throw new Error('the addon is missing', { cause: new Error('undefined symbol: X') })
    },
  }))
  const { chooseBackend: choose } = await import('../../../../runtime/src/signer/choose-backend.ts')
  const { backend, warning } = await choose('auto')
  expect(backend.name).toBe('portable')
  const reason = 'the addon is missing (undefined symbol: X)'
  expect(warning).toBe(
    `the portable signer is used, which is slow and leaves keys in memory: ${reason}`,
  )
  await expect(choose('native')).rejects.toThrow(
    `signer.backend: expected native to work here, found: ${reason}`,
  )
})
