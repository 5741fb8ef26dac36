import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { openRootKeys, unlockRoot } from '../../runtime/src/signer/root/open-root.ts'
import { rootSecretFile } from '../../runtime/src/signer/root/root-secret.ts'
import { sealRoot, unsealRoot } from '../../runtime/src/signer/root/sealed-root.ts'
import { slots } from '../../runtime/src/signer/backend.ts'
import {
  readStoredKeys,
  storedKeys as keyFiles,
  writeStoredKeys,
} from '../../runtime/src/signer/imported/stored-keys.ts'
import { test } from '../support/folder-fixture.ts'
import { bytes, hex } from '../support/hex.ts'
import { backends, native, openKeys } from '../support/signer-backends.ts'
import derivation from './key-derivation.json' with { type: 'json' }
import vector from './key-storage.json' with { type: 'json' }

const program = fileURLToPath(new URL('key_storage.py', import.meta.url))
const page = readFileSync(new URL('../../runtime/docs/keys.md', import.meta.url), 'utf8')
const { root, originKind, originSource, id, sealedRoot, storedKeys } = vector
const who = { root, originKind, originSource, id }
const label = { originKind, source: bytes(originSource), id }
const keys = { signing: { p256: bytes('11'.repeat(32)) }, encryption: {} }

/** What the independent program answers. */
function python(given: object): string {
  const output = execFileSync('python3', [program], { input: JSON.stringify(given) })
  return JSON.parse(output.toString()) as string
}

// Debian: python3-cryptography.
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0

describe('the vectors of docs/keys.md', () => {
  test('are what it prints', () => {
    const hexOfFile = storedKeys.file.match(/.{1,96}/g)!.join('\n')
    const values = [sealedRoot.file, hexOfFile, storedKeys.name, vector.hdMaster]
    expect(values.filter((value) => !page.includes(value))).toEqual([])
  })

  test('a sealed root secret', async ({ folder }) => {
    const file = rootSecretFile(folder)
    writeFileSync(file, sealedRoot.file, { mode: 0o600 })
    const passphraseFile = `${file}-passphrase`
    writeFileSync(passphraseFile, `${sealedRoot.passphrase}\n`, { mode: 0o600 })
    const unlocked = await unlockRoot({ stateFolder: folder, passphraseFile })
    expect(hex(unlocked.secret)).toBe(root)
  })

  test.for(backends)('imported keys, read by the $name backend', async (backend, { folder }) => {
    writeFileSync(rootSecretFile(folder), bytes(root), { mode: 0o600 })
    const rootKeys = await openRootKeys({ backend, stateFolder: folder })
    const file = keyFiles(folder).fileOf(label)
    mkdirSync(dirname(file))
    writeFileSync(file, bytes(storedKeys.file), { mode: 0o600 })
    expect(basename(file)).toBe(storedKeys.name)
    expect(readStoredKeys(folder, label, rootKeys, backend.isPrivateKey)).toEqual(keys)
    rootKeys.destroy()
  })

  test.for(backends)('the HD master key, by the $name backend', (backend) => {
    const hdSeed = bytes(derivation.hdSeed)
    const opened = openKeys(backend, { signing: {}, encryption: {}, hdSeed })
    opened.derive(slots.firstDerived, [])
    expect(hex(opened.publicKey(slots.firstDerived))).toBe(vector.hdMaster)
    opened.destroy()
  })
})

describe.runIf(hasPython)('the independent program; needs python3-cryptography', () => {
  test('makes the vectors', () => {
    const { file, ...given } = sealedRoot
    expect(python({ do: 'seal-root', root, ...given })).toBe(file)
    expect(python({ do: 'store-name', ...who })).toBe(storedKeys.name)
    const { iv, keysFile } = storedKeys
    expect(python({ do: 'seal-keys', ...who, iv, keysFile })).toBe(storedKeys.file)
    expect(python({ do: 'hd-master', hdSeed: derivation.hdSeed })).toBe(vector.hdMaster)
  })

  test('opens what Causeway seals, and the other way round', async () => {
    const secret = bytes('a5'.repeat(32))
    const passphrase = 'Zürich, 100 €'
    const ours = (await sealRoot(secret, Buffer.from(passphrase))).toString()
    expect(python({ do: 'open-root', file: ours, passphrase })).toBe(hex(secret))
    const given = { passphrase, salt: 'ab'.repeat(32), iv: 'cd'.repeat(12) }
    const theirs = python({ do: 'seal-root', root: hex(secret), ...given })
    const opened = await unsealRoot('file', Buffer.from(theirs), Buffer.from(passphrase))
    expect(hex(opened)).toBe(hex(secret))
  })

  test('opens the keys that Causeway imported', ({ folder }) => {
    const rootKeys = native.openRoot(bytes(root))
    writeStoredKeys(folder, label, rootKeys, keys)
    const file = readFileSync(keyFiles(folder).fileOf(label)).toString('hex')
    expect(python({ do: 'open-keys', ...who, file })).toBe(storedKeys.keysFile)
    rootKeys.destroy()
  })
})
