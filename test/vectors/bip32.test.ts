import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { publicKeyOf } from '../../runtime/src/signer/curves.ts'
import { parseDerivationPath } from '../../runtime/src/signer/derivation-path.ts'
import { createHdKeys } from '../../runtime/src/signer/hd-keys.ts'
import { bytes, hex } from '../support/hex.ts'
import vectors from './bip32.json' with { type: 'json' }

const base58check = createBase58check(sha256)

/** version(4) depth(1) fingerprint(4) index(4) chain code(32) key(33); a private key begins with 0. */
function keyOf(extendedKey: string): string {
  return hex(base58check.decode(extendedKey).subarray(45))
}

const chains = vectors.tests.flatMap(({ name, seed, chains }) =>
  chains.map((chain) => ({ name, seed, ...chain })),
)

describe('BIP-32', () => {
  it.each(chains)('$name, chain $path', ({ seed, path, xpub, xprv }) => {
    const key = createHdKeys(bytes(seed)).privateKey(parseDerivationPath(path, 'secp256k1'))
    expect({
      privateKey: `00${hex(key)}`,
      publicKey: hex(publicKeyOf('secp256k1', key)),
    }).toEqual({ privateKey: keyOf(xprv), publicKey: keyOf(xpub) })
  })
})
