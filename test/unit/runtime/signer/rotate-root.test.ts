import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { knownRootName } from '../../../../runtime/src/signer/root/known-root.ts'
import { openRootKeys, unlockRoot } from '../../../../runtime/src/signer/root/open-root.ts'
import { resealFiles } from '../../../../runtime/src/signer/sealed/reseal.ts'
import { rotateRoot } from '../../../../runtime/src/signer/root/rotate-root.ts'
import { rootSecretName } from '../../../../runtime/src/signer/root/root-secret.ts'
import type { DeploymentLabel, ImportedKeys } from '../../../../runtime/src/signer/backend.ts'
import {
  readStoredKeys,
  storedKeys,
  writeStoredKeys,
} from '../../../../runtime/src/signer/imported/stored-keys.ts'
import { fixedKeys } from '../../../support/deployment-keys.ts'
import { test } from '../../../support/folder-fixture.ts'
import { hex } from '../../../support/hex.ts'
import { backends, native } from '../../../support/signer-backends.ts'
import { thrownBy } from '../../../support/thrown.ts'

const child = fileURLToPath(new URL('../../../support/rotation-child.ts', import.meta.url))
const now = new Date('2026-01-02T03:04:05.678Z')
const keysOf = (byte: number): ImportedKeys => ({
  signing: { p256: new Uint8Array(32).fill(byte) },
  encryption: {},
})
const labelOf = (id: string, source: Uint8Array): DeploymentLabel => ({
  originKind: 'kind',
  source,
  id,
})
/** Two deployments with their own source, and one with the processor's account. */
const named = ['a', 'b'].map((id, index) => labelOf(id, Uint8Array.of(index + 1)))

async function withRoot<T>(
  stateFolder: string,
  use: (root: Awaited<ReturnType<typeof openRootKeys>>) => T,
  backend = native,
): Promise<T> {
  const root = await openRootKeys({ backend, stateFolder })
  try {
    return use(root)
  } finally {
    root.destroy()
  }
}

/** A state folder with three imports. @returns the public key of the account */
function prepare(state: string): Promise<string> {
  return withRoot(state, (root) => {
    for (const [index, label] of named.entries())
      writeStoredKeys(state, label, root, keysOf(index + 1))
    writeStoredKeys(state, labelOf('c', root.account), root, fixedKeys())
    return hex(root.account)
  })
}

/** The keys that a start would find. */
function found(state: string) {
  return withRoot(state, (root) => {
    const labels = [...named, labelOf('c', root.account)]
    const imports = labels.map((label) => readStoredKeys(state, label, root, native.isPrivateKey))
    return { account: hex(root.account), imports }
  })
}

const expected = [keysOf(1), keysOf(2), fixedKeys()]

async function rotate(stateFolder: string, backend = native, passphrase?: Buffer) {
  const root = await unlockRoot({ stateFolder })
  const resealables = [resealFiles(storedKeys(stateFolder))]
  const options = { backend, root, resealables, now, ...(passphrase && { passphrase }) }
  return rotateRoot(options).finally(() => root.wipe())
}

describe.each(backends)('a rotation by the $name backend', (backend) => {
  test('creates a new secret and keeps the imports and the old file', async ({ folder }) => {
    const before = await prepare(folder)
    const oldContent = readFileSync(join(folder, rootSecretName))
    const rotation = await rotate(folder, backend)
    const after = await found(folder)
    expect(after.imports).toEqual(expected)
    expect(hex(rotation.oldAccount)).toBe(before)
    expect(hex(rotation.account)).toBe(after.account)
    expect(after.account).not.toBe(before)
    const old = `${rootSecretName}.20260102T030405.678Z.old`
    expect(rotation.oldFile).toBe(join(folder, old))
    expect(readFileSync(rotation.oldFile)).toEqual(oldContent)
    expect(statSync(rotation.oldFile).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).sort()).toEqual([rootSecretName, knownRootName, old, 'keys'].sort())
    expect(readdirSync(join(folder, 'keys'))).toHaveLength(3)
  })

  test('may seal the new secret under a passphrase', async ({ folder }) => {
    await prepare(folder)
    await rotate(folder, backend, Buffer.from('correct horse'))
    const passphraseFile = join(folder, 'passphrase')
    writeFileSync(passphraseFile, 'correct horse', { mode: 0o600 })
    expect(readFileSync(join(folder, rootSecretName), 'utf8')).toMatch(/^\{"causeway"/)
    const root = await openRootKeys({ backend, stateFolder: folder, passphraseFile })
    const label = labelOf('c', root.account)
    expect(readStoredKeys(folder, label, root, backend.isPrivateKey)).toEqual(fixedKeys())
    root.destroy()
  })
})

describe('a rotation', () => {
  test('changes nothing when an import can’t be opened', async ({ folder }) => {
    await prepare(folder)
    const file = storedKeys(folder).fileOf(named[1]!)
    const content = readFileSync(file)
    writeFileSync(file, content.with(content.length - 1, content.at(-1)! ^ 1))
    const files = () => readdirSync(folder, { recursive: true }).map(String).sort()
    const before = [files(), readFileSync(join(folder, rootSecretName))]
    expect(await thrownBy(() => rotate(folder))).toMatchObject({
      kind: 'KEYS_INVALID',
      message: expect.stringContaining(`${file}: expected imported keys`) as string,
    })
    expect([files(), readFileSync(join(folder, rootSecretName))]).toEqual(before)
  })

  test('works without imports', async ({ folder }) => {
    await withRoot(folder, () => {})
    await rotate(folder)
    expect(readdirSync(folder)).toHaveLength(3)
  })

  test('changes nothing if there was another one in the same millisecond', async ({ folder }) => {
    await prepare(folder)
    await rotate(folder)
    const before = await found(folder)
    expect(await thrownBy(() => rotate(folder))).toMatchObject({ code: 'EEXIST' })
    expect(await found(folder)).toEqual(before)
  })

  test('leaves a working state when it is killed after any change', async ({ folder }) => {
    const origin = join(folder, 'origin')
    const account = await prepare(origin)
    const accounts: boolean[] = []
    for (let changes = 0; ; changes++) {
      const state = join(folder, String(changes))
      cpSync(origin, state, { recursive: true })
      const ended = killAfter(state, changes)
      const after = await found(state)
      expect(after.imports, ended.stdout).toEqual(expected)
      accounts.push(after.account === account)
      await rotate(state)
      const again = await found(state)
      expect(again.imports).toEqual(expected)
      expect(again.account).not.toBe(after.account)
      expect(leftovers(state)).toEqual([])
      if (ended.status === 0) break
      expect(ended.signal).toBe('SIGKILL')
    }
    // With the old root secret the account and three files are settled, then one more written; the
    // new one counts after it.
    expect(accounts.filter(Boolean)).toHaveLength(4 + 5 + 2)
    expect(accounts.lastIndexOf(true)).toBe(4 + 5 + 1)
    expect(accounts.filter((isOld) => !isOld)).toHaveLength(1 + 5 + 1)
  }, 120_000)
})

function killAfter(state: string, changes: number) {
  const options = ['--conditions=@causeway/source', '--import', 'tsx']
  const args = [...options, child, state, String(changes)]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}

/** Files that exist only during a rotation. */
function leftovers(state: string): string[] {
  const names = readdirSync(state, { recursive: true }).map(String)
  return names.filter((name) => /\.(?:next|draft)$/.test(name))
}
