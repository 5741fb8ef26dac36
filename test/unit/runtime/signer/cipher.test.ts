import { createECDH } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { encryptionCurves } from '@causeway/guest-sdk/protocol'
import { toErrorObject, type RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { createKeyring, type Peer } from '../../../../runtime/src/signer/keyring.ts'
import { agree } from '../../../../runtime/src/signer/portable/curves.ts'
import { bytes, hex } from '../../../support/hex.ts'
import { backends, openKeys } from '../../../support/signer-backends.ts'
import { thrownBy } from '../../../support/thrown.ts'

const noble = { p256, secp256k1 }
const opensslNames = { p256: 'prime256v1', secp256k1: 'secp256k1' }
const alice = bytes('a1'.repeat(32))
const bob = bytes('b2'.repeat(32))

/** One side's private key, and the data that both sides know. */
type Side = Peer & { privateKey: Uint8Array }

const cases = backends.flatMap((backend) =>
  encryptionCurves.map((curve) => ({ name: backend.name, backend, curve })),
)

describe.each(cases)('$name, $curve', ({ backend, curve }) => {
  const keyringOf = (key: Uint8Array) =>
    createKeyring(openKeys(backend, { signing: {}, encryption: { [curve]: key } }))
  const encrypt = ({ privateKey, ...peer }: Side, plaintext: Uint8Array) =>
    keyringOf(privateKey).encrypt(peer, plaintext)
  const decrypt = ({ privateKey, ...peer }: Side, sealed: Uint8Array) =>
    keyringOf(privateKey).decrypt(peer, sealed)
  const compressed = (key: Uint8Array) => noble[curve].getPublicKey(key, true)
  const uncompressed = (key: Uint8Array) => noble[curve].getPublicKey(key, false)
  const fromAlice = (salt: Uint8Array, peerPublicKey = compressed(bob)) => ({
    curve,
    privateKey: alice,
    peerPublicKey,
    salt,
  })
  const fromBob = (salt: Uint8Array, peerPublicKey = compressed(alice)) => ({
    curve,
    privateKey: bob,
    peerPublicKey,
    salt,
  })

  it.each([0, 1, 16, 33, 64, 65, 1000, 100_000])('a salt of %i bytes', (length) => {
    const salt = new Uint8Array(length).fill(9)
    const sealed = encrypt(fromAlice(salt), Buffer.from('text'))
    expect(Buffer.from(decrypt(fromBob(salt), sealed)).toString()).toBe('text')
    const other = { ...fromBob(salt), salt: Uint8Array.of(1, ...salt) }
    expect(() => decrypt(other, sealed)).toThrow('the bytes could not be decrypted')
  })

  it.each([0, 1, 15, 16, 17, 65_536])('a plaintext of %i bytes', (length) => {
    const plaintext = new Uint8Array(length).fill(5)
    const sealed = encrypt(fromAlice(bytes('01')), plaintext)
    expect(sealed.length).toBe(12 + length + 16)
    expect(hex(decrypt(fromBob(bytes('01')), sealed))).toBe(hex(plaintext))
  })

  it('both sides derive the same key and can decrypt both directions', () => {
    const salt = bytes('aa')
    const toBob = encrypt(fromAlice(salt), bytes('01'))
    const toAlice = encrypt(fromBob(salt), bytes('02'))
    const opened = [fromAlice(salt), fromBob(salt)].map((side) => [
      hex(decrypt(side, toBob)),
      hex(decrypt(side, toAlice)),
    ])
    expect(opened).toEqual([
      ['01', '02'],
      ['01', '02'],
    ])
  })

  it('a deployment may be its own peer, with its own key as salt', () => {
    const self = fromAlice(compressed(alice), compressed(alice))
    expect(hex(decrypt(self, encrypt(self, bytes('beef'))))).toBe('beef')
  })

  it('the 33-byte and 65-byte forms of one key are the same peer', () => {
    const sealed = encrypt(fromAlice(bytes('00'), uncompressed(bob)), bytes('cafe'))
    expect(hex(decrypt(fromBob(bytes('00'), compressed(alice)), sealed))).toBe('cafe')
    expect(hex(decrypt(fromBob(bytes('00'), uncompressed(alice)), sealed))).toBe('cafe')
  })

  it('every encryption has its own iv', () => {
    const ivs = Array.from({ length: 50 }, () =>
      hex(encrypt(fromAlice(bytes('')), bytes('00')).subarray(0, 12)),
    )
    expect(new Set(ivs).size).toBe(50)
  })

  it('a third party cannot decrypt', () => {
    const sealed = encrypt(fromAlice(bytes('')), bytes('00'))
    const carol = { ...fromBob(bytes('')), privateKey: bytes('c3'.repeat(32)) }
    expect(() => decrypt(carol, sealed)).toThrow('the bytes could not be decrypted')
  })

  const [x, y] = [uncompressed(bob).slice(1, 33), uncompressed(bob).slice(33)]
  const withY = (last: number) => Uint8Array.of(4, ...x, ...y.with(31, last))
  const hybrid = (prefix: number) => Uint8Array.of(prefix, ...x, ...y)
  const expected = `a point of ${curve} in 33 bytes (compressed) or 65 (uncompressed)`
  const noPoint = 'bytes that are no such point'
  it.each([
    { name: 'nothing', key: new Uint8Array(), found: '0 bytes' },
    { name: 'infinity', key: Uint8Array.of(0), found: '1 bytes' },
    { name: '32 bytes', key: x, found: '32 bytes' },
    { name: '34 bytes', key: Uint8Array.of(...compressed(bob), 0), found: '34 bytes' },
    { name: '64 bytes', key: Uint8Array.of(...x, ...y), found: '64 bytes' },
    { name: '66 bytes', key: Uint8Array.of(...uncompressed(bob), 0), found: '66 bytes' },
    { name: 'infinity in 33 bytes', key: new Uint8Array(33), found: noPoint },
    { name: 'infinity in 65 bytes', key: new Uint8Array(65), found: noPoint },
    { name: 'prefix 01', key: Uint8Array.of(1, ...x), found: noPoint },
    { name: 'prefix 05', key: Uint8Array.of(5, ...x), found: noPoint },
    { name: 'prefix 04 in 33 bytes', key: Uint8Array.of(4, ...x), found: noPoint },
    { name: 'prefix 02 in 65 bytes', key: hybrid(2), found: noPoint },
    { name: 'hybrid prefix 06', key: hybrid(6), found: noPoint },
    { name: 'hybrid prefix 07', key: hybrid(7), found: noPoint },
    { name: 'off the curve', key: withY((y[31] ?? 0) ^ 1), found: noPoint },
    { name: 'x without a point', key: bytes(`02${'ff'.repeat(32)}`), found: noPoint },
    { name: 'x and y zero', key: Uint8Array.of(4, ...new Uint8Array(64)), found: noPoint },
  ])('refuses as peer: $name', async ({ key, found }) => {
    const wire = {
      code: -32602,
      message: `publicKey: expected ${expected}, found ${found}`,
      data: { kind: 'BAD_PUBLIC_KEY', retryable: false, details: { field: 'publicKey' } },
    }
    const agreement = fromAlice(bytes(''), key)
    const encrypting = await thrownBy(() => encrypt(agreement, bytes('')))
    const decrypting = await thrownBy(() => decrypt(agreement, new Uint8Array(28)))
    expect(toErrorObject(encrypting as RpcError)).toEqual(wire)
    expect(toErrorObject(decrypting as RpcError)).toEqual(wire)
  })

  it('a point of the other curve is refused', async () => {
    const other = curve === 'p256' ? secp256k1 : p256
    const key = other.getPublicKey(bob, false)
    const error = await thrownBy(() => encrypt(fromAlice(bytes(''), key), bytes('')))
    expect(error).toMatchObject({ kind: 'BAD_PUBLIC_KEY' })
  })
})

describe.each(encryptionCurves)('the agreement of the portable backend: %s', (curve) => {
  const compressed = (key: Uint8Array) => noble[curve].getPublicKey(key, true)
  const uncompressed = (key: Uint8Array) => noble[curve].getPublicKey(key, false)

  it('the shared x equals that of OpenSSL, 32 bytes, for 40 pairs', () => {
    for (let index = 1; index <= 40; index++) {
      const own = new Uint8Array(32).fill(index)
      const peer = new Uint8Array(32).fill(index + 100)
      const ecdh = createECDH(opensslNames[curve])
      ecdh.setPrivateKey(own)
      const { peer: point, sharedX } = agree(curve, own, uncompressed(peer))!
      expect(hex(sharedX)).toBe(ecdh.computeSecret(compressed(peer)).toString('hex'))
      expect(hex(point)).toBe(hex(compressed(peer)))
    }
  })
})
