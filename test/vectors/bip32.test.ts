import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { parseDerivationPath } from '../../runtime/src/signer/derivation-path.ts'
import { deriveHdKey } from '../../runtime/src/signer/portable/hd-key.ts'
import { slots } from '../../runtime/src/signer/backend.ts'
import { bytes, hex } from '../support/hex.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import { referenceSignature } from '../support/signer-reference.ts'
import vectors from './bip32.json' with { type: 'json' }

const base58check = createBase58check(sha256)
const digest = new Uint8Array(32).fill(7)

/** version(4) depth(1) fingerprint(4) index(4) chain code(32) key(33); a private key begins with 0. */
function keyOf(extendedKey: string): string {
  return hex(base58check.decode(extendedKey).subarray(45))
}

const chains = vectors.tests.flatMap(({ name, seed, chains }) =>
  chains.map((chain) => ({ name, seed, ...chain })),
)
/** Backends take the seeds that deployments have. */
const chainsOf64Bytes = chains.filter(({ seed }) => seed.length === 128)

describe('BIP-32, private keys of any seed', () => {
  it.each(chains)('$name, chain $path', ({ seed, path, xprv }) => {
    const key = deriveHdKey(bytes(seed), parseDerivationPath(path))
    expect(`00${hex(key)}`).toBe(keyOf(xprv))
  })
})

describe.each(backends)('BIP-32, $name', (backend) => {
  it.each(chainsOf64Bytes)('$name, chain $path', ({ seed, path, xpub, xprv }) => {
    const keys = openKeys(backend, { signing: {}, encryption: {}, hdSeed: bytes(seed) })
    keys.derive(slots.firstDerived, parseDerivationPath(path))
    const privateKey = bytes(keyOf(xprv).slice(2))
    expect({
      publicKey: hex(keys.publicKey(slots.firstDerived)),
      signature: hex(keys.sign(slots.firstDerived, digest)),
    }).toEqual({
      publicKey: keyOf(xpub),
      signature: hex(referenceSignature('secp256k1', privateKey, digest)),
    })
  })

  it('has vectors to test, hardened ones and keys with leading zeros among them', () => {
    expect(chainsOf64Bytes.length).toBeGreaterThanOrEqual(8)
    expect(chainsOf64Bytes.some(({ path }) => /['hH]/.test(path))).toBe(true)
    expect(chainsOf64Bytes.some(({ xprv }) => keyOf(xprv).startsWith('0000'))).toBe(true)
  })
})
