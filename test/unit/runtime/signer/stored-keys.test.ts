import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect } from 'vitest'
import type {
  DeploymentLabel,
  ImportedKeys,
  SignerBackend,
} from '../../../../runtime/src/signer/backend.ts'
import {
  readStoredKeys,
  storedKeys,
  writeStoredKeys,
} from '../../../../runtime/src/signer/imported/stored-keys.ts'
import { nextFile } from '../../../../runtime/src/signer/sealed/deployment-files.ts'
import { fixedKeys } from '../../../support/deployment-keys.ts'
import { test } from '../../../support/folder-fixture.ts'
import { backends, native, portable } from '../../../support/signer-backends.ts'
import { thrownBy } from '../../../support/thrown.ts'

const label: DeploymentLabel = { originKind: 'kind', source: Uint8Array.of(1, 2), id: '7' }
const rootOf = (backend: SignerBackend, byte = 1) => backend.openRoot(new Uint8Array(32).fill(byte))
const one: ImportedKeys = { signing: { p256: new Uint8Array(32).fill(9) }, encryption: {} }

describe.each(backends)('stored keys, by the $name backend', (backend) => {
  const root = rootOf(backend)
  const read = (folder: string, of = label, under = root) =>
    readStoredKeys(folder, of, under, backend.isPrivateKey)

  test('are read as they were written; only their owner may read the file', ({ folder }) => {
    writeStoredKeys(folder, label, root, fixedKeys())
    expect(read(folder)).toEqual(fixedKeys())
    const file = storedKeys(folder).fileOf(label)
    expect(readdirSync(join(folder, 'keys'))).toEqual([basename(file)])
    expect(basename(file)).toMatch(/^[0-9a-f]{32}$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'keys')).mode & 0o777).toBe(0o700)
    expect(readFileSync(file).toString('latin1')).not.toContain('11'.repeat(8))
  })

  test('can be read by the other backend', ({ folder }) => {
    const other = backend === native ? portable : native
    writeStoredKeys(folder, label, rootOf(other), fixedKeys())
    expect(read(folder)).toEqual(fixedKeys())
  })

  test('are undefined when none were written', ({ folder }) => {
    expect(read(folder)).toBeUndefined()
    writeStoredKeys(folder, label, root, fixedKeys())
    expect(read(folder, { ...label, id: '8' })).toBeUndefined()
    expect(read(folder, { ...label, originKind: 'Kind' })).toBeUndefined()
    expect(read(folder, { ...label, source: Uint8Array.of(1) })).toBeUndefined()
  })

  test('are replaced as a whole, and can be removed', ({ folder }) => {
    writeStoredKeys(folder, label, root, fixedKeys())
    writeStoredKeys(folder, label, root, one)
    expect(read(folder)).toEqual(one)
    expect(storedKeys(folder).remove(label)).toBe(true)
    expect(read(folder)).toBeUndefined()
    expect(storedKeys(folder).remove(label)).toBe(false)
    expect(readdirSync(join(folder, 'keys'))).toEqual([])
  })

  const refusal = async (folder: string, of = label, under = root) =>
    (await thrownBy(() => read(folder, of, under))) as Error

  test('are refused when a byte is changed or the file is cut', async ({ folder }) => {
    writeStoredKeys(folder, label, root, one)
    const file = storedKeys(folder).fileOf(label)
    const content = readFileSync(file)
    const changed = [
      ...Array.from(content, (byte, index) => content.with(index, byte ^ 1)),
      ...Array.from(content, (_, index) => content.subarray(0, index)),
      Buffer.concat([content, Buffer.of(0)]),
    ]
    for (const bytes of changed) {
      writeFileSync(file, bytes)
      expect(await refusal(folder)).toMatchObject({
        kind: 'KEYS_INVALID',
        message: `${file}: expected this deployment's imported keys, sealed under this root secret; found a damaged or foreign file`,
      })
    }
  })

  test('are refused for another deployment or root secret', async ({ folder }) => {
    writeStoredKeys(folder, label, root, one)
    const other = { ...label, id: '8' }
    copyFileSync(storedKeys(folder).fileOf(label), storedKeys(folder).fileOf(other))
    const foreign = { kind: 'KEYS_INVALID', message: expect.stringContaining('foreign') as string }
    expect(await refusal(folder, other)).toMatchObject(foreign)
    expect(await refusal(folder, label, rootOf(backend, 2))).toMatchObject(foreign)
  })

  test('are refused when others may read the file, or when it is a link', async ({ folder }) => {
    writeStoredKeys(folder, label, root, one)
    const file = storedKeys(folder).fileOf(label)
    chmodSync(file, 0o640)
    expect(await refusal(folder)).toMatchObject({
      kind: 'KEYS_INVALID',
      message: `${file}: expected mode 600, found 640; other users could read it`,
    })
    chmodSync(file, 0o600)
    renameSync(file, join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), file)
    expect(await refusal(folder)).toMatchObject({ kind: 'KEYS_INVALID' })
  })

  test('are found in either file during a rotation, and removed from both', ({ folder }) => {
    const next = rootOf(backend, 2)
    const file = storedKeys(folder).fileOf(label)
    writeStoredKeys(folder, label, next, fixedKeys())
    renameSync(file, nextFile(file))
    writeFileSync(file, Buffer.alloc(100), { mode: 0o600 })
    expect(read(folder, label, next)).toEqual(fixedKeys())
    writeStoredKeys(folder, label, root, one)
    expect(readdirSync(join(folder, 'keys'))).toEqual([basename(file)])
    copyFileSync(file, nextFile(file))
    expect(storedKeys(folder).remove(label)).toBe(true)
    expect(readdirSync(join(folder, 'keys'))).toEqual([])
  })
})
