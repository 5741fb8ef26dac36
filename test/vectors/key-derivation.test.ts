import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { RootKeys, SignerBackend } from '../../runtime/src/signer/backend.ts'
import { bytes, hex } from '../support/hex.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import vector from './key-derivation.json' with { type: 'json' }

const program = fileURLToPath(new URL('key_derivation.py', import.meta.url))
const page = readFileSync(new URL('../../runtime/docs/keys.md', import.meta.url), 'utf8')

interface Given {
  root: string
  originKind: string
  originSource: string
  id: string
}

/** Everything that is derived for one deployment, in hex. */
function derivedBy(backend: SignerBackend, given: Given) {
  const label = { originKind: given.originKind, source: bytes(given.originSource), id: given.id }
  const root = backend.openRoot(bytes(given.root))
  const keys = root.deriveKeys(label, { signing: {}, encryption: {} })
  const { signing, encryption, hdSeed } = keys.exportKeys()
  const secret = (purpose: string, algorithm: string) =>
    hex(root.deriveSecret(label, purpose, algorithm))
  const derived = {
    signing: inHex(signing),
    encryption: inHex(encryption),
    hdSeed: hex(hdSeed),
    auditKey: secret('audit', 'hmac-sha256'),
    storeKey: secret('store', 'aes-256-gcm'),
    account: accountOf(root),
  }
  keys.destroy()
  root.destroy()
  return derived
}

function accountOf({ account }: RootKeys): string {
  return hex(account)
}

function inHex(keys: Record<string, Uint8Array>): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).map(([curve, key]) => [curve, hex(key)]))
}

/** What the independent program makes of the same input; it gives the account's seed only. */
function derivedByPython(backend: SignerBackend, given: Given) {
  const output = execFileSync('python3', [program], { input: JSON.stringify(given) })
  const { accountSeed, ...keys } = JSON.parse(output.toString()) as { accountSeed: string }
  const seed = { signing: { ed25519: bytes(accountSeed) }, encryption: {} }
  const account = openKeys(backend, seed)
  try {
    return { ...keys, account: hex(account.publicKey(2)) }
  } finally {
    account.destroy()
  }
}

describe.each(backends)('key derivation by the $name backend', (backend) => {
  it('gives the vector of docs/keys.md', () => {
    const { source: _source, root: _root, ...rest } = vector
    const { originKind: _kind, originSource: _origin, id: _id, ...keys } = rest
    expect(derivedBy(backend, vector)).toEqual(keys)
  })

  it.each<Given & { name: string }>([
    { name: 'the vector', ...vector },
    { name: 'letters of two bytes', ...vector, originKind: 'Zürich' },
    { name: 'a source of one zero byte', ...vector, originSource: '00' },
    { name: 'another root', ...vector, root: 'ff'.repeat(32) },
    { name: 'the longest id of a deployment file', ...vector, id: '€'.repeat(256) },
    { name: 'a long origin kind', ...vector, originKind: 'k'.repeat(2000) },
  ])('agrees with the independent program: $name', (given) => {
    expect(derivedBy(backend, given)).toEqual(derivedByPython(backend, given))
  })
})

it('docs/keys.md prints the vector', () => {
  const { signing, encryption, hdSeed, account, auditKey, storeKey } = vector
  const keys = [...Object.values(signing), ...Object.values(encryption)]
  const values = [...keys, hdSeed, account, auditKey, storeKey]
  expect(values.filter((value) => !page.includes(`\`${value}\``))).toEqual([])
})
