import { describe, expect, it } from 'vitest'
import type { DeploymentLabel } from '../../../../runtime/src/signer/backend.ts'
import { hex } from '../../../support/hex.ts'
import { backends } from '../../../support/signer-backends.ts'

const root = new Uint8Array(32).fill(1)
const base: DeploymentLabel = { originKind: 'kind', source: Uint8Array.of(1, 2), id: '7' }

describe.each(backends)('derivation by the $name backend', (backend) => {
  /** The six keys of a deployment, in hex. */
  function keysOf(label: Partial<DeploymentLabel> = {}, secret = root): string[] {
    const nothing = { signing: {}, encryption: {} }
    const keys = backend.openRoot(secret).deriveKeys({ ...base, ...label }, nothing)
    const { signing, encryption, hdSeed } = keys.exportKeys()
    return [...Object.values(signing), ...Object.values(encryption), hdSeed].map(hex)
  }
  const deriveAccount = (secret: Uint8Array) => backend.openRoot(secret).account

  it('gives the same keys every time and does not change the root', () => {
    expect(keysOf()).toEqual(keysOf())
    expect(hex(root)).toBe('01'.repeat(32))
  })

  it('gives six different keys, of 32 bytes and a seed of 64', () => {
    expect(new Set(keysOf()).size).toBe(6)
    expect(keysOf().map((key) => key.length / 2)).toEqual([32, 32, 32, 32, 32, 64])
  })

  it.each([
    { name: 'another kind', label: { originKind: 'Kind' } },
    { name: 'another source', label: { source: Uint8Array.of(1, 3) } },
    { name: 'another id', label: { id: '8' } },
    { name: 'another root', label: {}, secret: new Uint8Array(32).fill(2) },
    {
      name: 'kind and source shifted',
      label: { originKind: 'kind\x01', source: Uint8Array.of(2) },
    },
    { name: 'source and id shifted', label: { source: Uint8Array.of(1, 2, 0x37), id: '' } },
    { name: 'id into purpose', label: { id: '7sign' } },
    { name: 'a zero more in the source', label: { source: Uint8Array.of(1, 2, 0) } },
    { name: 'a NUL in the id', label: { id: '7\0' } },
  ])('$name changes every key', ({ label, secret }) => {
    const before = new Set(keysOf())
    expect(keysOf(label, secret).filter((key) => before.has(key))).toEqual([])
  })

  it('the account depends only on the root', () => {
    expect(hex(deriveAccount(root))).toBe(hex(deriveAccount(root)))
    expect(hex(deriveAccount(root))).not.toBe(hex(deriveAccount(new Uint8Array(32))))
    expect(keysOf()).not.toContain(hex(deriveAccount(root)))
  })
})
