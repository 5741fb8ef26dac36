/**
 * Calls `signer_publicKey` and `signer_sign` for the checks of signatures and derivation.
 * @module
 */
import { createHash } from 'node:crypto'
import { refusalOfCall, resultOfCall } from '../call.ts'
import type { Bridge } from '../check.ts'
import { isSigned, type SigningCurve } from '../curves.ts'
import { bytesOf } from '../hex.ts'
import { expectThat } from '../outcome.ts'
import { codes } from '../response.ts'

/** Several, because half of all signatures have a low s by chance. */
export const messages = Array.from({ length: 16 }, (_, index) => Buffer.from(`message ${index}`))

/** The bytes to sign for a message: its digest for ECDSA, itself for ed25519. */
function signedBytes(curve: SigningCurve, message: Buffer): string {
  const bytes = curve === 'ed25519' ? message : createHash('sha256').update(message).digest()
  return bytes.toString('hex')
}

/** Asks for the public key with these params. */
export async function keyOf(bridge: Bridge, params: object): Promise<Buffer> {
  const { publicKey } = await resultOfCall(bridge, 'signer_publicKey', params)
  return bytesOf(publicKey, 'publicKey')
}

/** Asks for a 64-byte signature over the message, for ECDSA over its digest. */
export async function sign(
  bridge: Bridge,
  curve: SigningCurve,
  message: Buffer,
  more: object = {},
): Promise<Buffer> {
  const params = { curve, bytes: signedBytes(curve, message), ...more }
  const { bytes } = await resultOfCall(bridge, 'signer_sign', params)
  const signature = bytesOf(bytes, 'bytes')
  expectThat(signature.length === 64, 'a signature of 64 bytes', bytes)
  return signature
}

/** Fails unless signatures verify with the key that the bridge returns for the same params. */
export async function checkSignatures(bridge: Bridge, curve: SigningCurve, more: object = {}) {
  const key = await keyOf(bridge, { curve, ...more })
  for (const message of messages.slice(0, 3)) {
    const signature = await sign(bridge, curve, message, more)
    const isValid = isSigned(curve, key, message, signature)
    expectThat(isValid, 'a signature that verifies', signature.toString('hex'))
  }
}

/** Fails unless the bridge refuses the params. */
export async function refusesSign(bridge: Bridge, params: object): Promise<void> {
  await refusalOfCall(bridge, codes.invalidParams, 'signer_sign', params)
}
