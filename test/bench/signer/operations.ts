/**
 * A signer's operations for a job, each time with another input, so that no result can be cached.
 * @module
 */
import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { HDKey } from '@scure/bip32'
import {
  slots,
  type PrivateKeys,
  type SecretKeys,
  type SignerBackend,
} from '../../../runtime/src/signer/backend.ts'

export const operationNames = [
  'p256 sign',
  'secp256k1 sign',
  'ed25519 sign',
  'p256 encrypt nothing, peer of 33 bytes',
  'p256 encrypt nothing, peer of 65 bytes',
  'BIP-32, five levels',
] as const

export type OperationName = (typeof operationNames)[number]

/** Does the operation once; `turn` selects the input. */
export type Operation = (turn: number) => void

const inputs = Array.from({ length: 64 }, (_, index) => hash(`input ${index}`))

/** @throws Error when the backend refuses an input */
export function operationsOf(backend: SignerBackend): Record<OperationName, Operation> {
  const keys = backend.openKeys(privateKeys())
  const sign = (slot: number) => (turn: number) => void keys.sign(slot, nth(inputs, turn))
  return {
    'p256 sign': sign(slots.signing.p256),
    'secp256k1 sign': sign(slots.signing.secp256k1),
    'ed25519 sign': sign(slots.signing.ed25519),
    'p256 encrypt nothing, peer of 33 bytes': encryptTo(keys, true),
    'p256 encrypt nothing, peer of 65 bytes': encryptTo(keys, false),
    'BIP-32, five levels': (turn) => keys.derive(slots.firstDerived, [...account, turn]),
  }
}

/** The same derivation by the most used library. */
export function deriveByScure(turn: number): void {
  HDKey.fromMasterSeed(hdSeed).derive(`m/44'/60'/0'/0/${turn}`)
}

const hardened = 0x80000000
const account = [hardened + 44, hardened + 60, hardened, 0]
const hdSeed = Buffer.concat([hash('seed'), hash('more seed')])

function encryptTo(keys: SecretKeys, isCompressed: boolean): Operation {
  const peers = inputs.map((key) => ({
    peerPublicKey: p256.getPublicKey(key, isCompressed),
    salt: hash('salt'),
  }))
  const nothing = new Uint8Array(0)
  return (turn) => {
    const sealed = keys.encrypt(slots.encryption.p256, nth(peers, turn), nothing)
    if (typeof sealed === 'string') throw new Error(sealed)
  }
}

function privateKeys(): PrivateKeys {
  return {
    signing: { p256: hash('1'), secp256k1: hash('2'), ed25519: hash('3') },
    encryption: { p256: hash('4'), secp256k1: hash('5') },
    hdSeed: Buffer.from(hdSeed),
  }
}

function hash(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}

function nth<T>(values: readonly T[], turn: number): T {
  return values[turn % values.length]!
}
