/**
 * Checks one known answer for every operation, so that a faulty signer never touches a real key.
 * @module
 */
import { slots, type PrivateKeys, type SecretKeys, type SignerBackend } from './backend.ts'

// SHA-256 of "causeway".
const digest = Buffer.from(
  'c2c0a72b71b80142760661b2ca697e2bf7db5c4281da903b23af67ee1277c045',
  'hex',
)
const derivedPath = [0x8000002c, 1]

/** Computed by noble with the keys below. */
const knownSignatures = [
  {
    name: 'p256',
    slot: slots.signing.p256,
    signature:
      'c7d758b5547b372384f4f7ecc8a3d60e38ac7e27f39fe1ffd1808ae88bd1a09b3ba04a982d7eab5154f1c7dadc199941cf6678146358c2deb9890eb35bcb8a9e',
  },
  {
    name: 'secp256k1',
    slot: slots.signing.secp256k1,
    signature:
      '1af28272fd57ceafe1c6ebb12ed51d23e95e86b8f56856aa01edd8b997de20d5056b4721f5e7cf2ee440eba9ee834dcb56b700ff1549131597eb653cdd37e800',
  },
  {
    name: 'ed25519',
    slot: slots.signing.ed25519,
    signature:
      '1960944ae571d0f527f12dd333bf77d282aff44533f8032f3c8d77155b8b94a3ae0fd32e23aea722a85daf9ff510813d4908acbbf120d02f6e97a58c36eb2503',
  },
  {
    name: "m/44'/1",
    slot: slots.firstDerived,
    signature:
      '4cee2e05084f4c9f1d1f233d30cdad7291ec1a875ef89c480643eb295fcfbb501e62adaf6e8c1503df805402fe9edd054c4bf2c5371adbc023215d8926345766',
  },
]

/** Five bytes 08, encrypted to our own public key with the salt 070707. */
const knownCiphertexts = [
  {
    name: 'p256',
    slot: slots.encryption.p256,
    sealed: '58db7cb1b5de3d049b94eee9778ba75585f2c012ed5d1cf3d2309995c7e3dd9a49',
  },
  {
    name: 'secp256k1',
    slot: slots.encryption.secp256k1,
    sealed: '6c14ad15acbb6109933ff4940d5da0465958eb3ab2bd2f56519889b0574ac34a13',
  },
]
const plaintext = '0808080808'

/** @throws Error naming the operation that gave a wrong answer */
export function selfTest(backend: Pick<SignerBackend, 'openKeys'>): void {
  const keys = backend.openKeys(knownKeys())
  try {
    keys.derive(slots.firstDerived, derivedPath)
    for (const { name, slot, signature } of knownSignatures)
      expectAnswer(`sign with ${name}`, keys.sign(slot, digest), signature)
    for (const { name, slot, sealed } of knownCiphertexts)
      expectAnswer(`decrypt with ${name}`, decryptOwn(keys, slot, sealed), plaintext)
  } finally {
    keys.destroy()
  }
}

function decryptOwn(keys: SecretKeys, slot: number, sealed: string): Uint8Array {
  const agreement = { peerPublicKey: keys.publicKey(slot), salt: Buffer.from('070707', 'hex') }
  const opened = keys.decrypt(slot, agreement, Buffer.from(sealed, 'hex'))
  return typeof opened === 'string' ? Buffer.alloc(0) : opened
}

function knownKeys(): PrivateKeys {
  const key = (byte: number) => new Uint8Array(32).fill(byte)
  return {
    signing: { p256: key(1), secp256k1: key(2), ed25519: key(3) },
    encryption: { p256: key(4), secp256k1: key(5) },
    hdSeed: new Uint8Array(64).fill(6),
  }
}

function expectAnswer(what: string, found: Uint8Array, expected: string): void {
  if (Buffer.from(found).toString('hex') === expected) return
  throw new Error(`its self-test failed: ${what} gave a wrong answer`)
}
