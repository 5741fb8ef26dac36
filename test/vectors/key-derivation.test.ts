import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { publicKeyOf } from '../../runtime/src/signer/curves.ts'
import { deriveAccount, derivePrivateKeys } from '../../runtime/src/signer/derivation.ts'
import { bytes, hex } from '../support/hex.ts'
import vector from './key-derivation.json' with { type: 'json' }

const program = fileURLToPath(new URL('key_derivation.py', import.meta.url))
const page = readFileSync(new URL('../../runtime/docs/keys.md', import.meta.url), 'utf8')

interface Given {
  root: string
  originKind: string
  originSource: string
  id: string
}

function derived({ root, originKind, originSource, id }: Given) {
  const label = { originKind, source: bytes(originSource), id }
  const { signing, encryption, hdSeed } = derivePrivateKeys(bytes(root), label)
  return { signing: inHex(signing), encryption: inHex(encryption), hdSeed: hex(hdSeed) }
}

function inHex(keys: Record<string, Uint8Array>): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).map(([curve, key]) => [curve, hex(key)]))
}

/** What the independent program makes of the same input. */
function derivedByPython(given: Given) {
  const output = execFileSync('python3', [program], { input: JSON.stringify(given) })
  return JSON.parse(output.toString()) as Record<string, unknown> & { accountSeed: string }
}

describe('key derivation', () => {
  it('gives the vector of docs/keys.md', () => {
    const { signing, encryption, hdSeed } = vector
    expect(derived(vector)).toEqual({ signing, encryption, hdSeed })
    expect(hex(deriveAccount(bytes(vector.root)))).toBe(vector.account)
  })

  it('is what docs/keys.md prints', () => {
    const { signing, encryption, hdSeed, account } = vector
    const values = [...Object.values(signing), ...Object.values(encryption), hdSeed, account]
    expect(values.filter((value) => !page.includes(`\`${value}\``))).toEqual([])
  })

  it.each<Given & { name: string }>([
    { name: 'the vector', ...vector },
    { name: 'letters of two bytes', ...vector, originKind: 'Zürich' },
    { name: 'a source of one zero byte', ...vector, originSource: '00' },
    { name: 'another root', ...vector, root: 'ff'.repeat(32) },
    { name: 'the longest id of a deployment file', ...vector, id: '€'.repeat(256) },
    { name: 'a long origin kind', ...vector, originKind: 'k'.repeat(2000) },
  ])('agrees with the independent program: $name', (given) => {
    const { accountSeed, ...keys } = derivedByPython(given)
    expect(derived(given)).toEqual(keys)
    const account = publicKeyOf('ed25519', bytes(accountSeed))
    expect(hex(deriveAccount(bytes(given.root)))).toBe(hex(account))
  })
})
