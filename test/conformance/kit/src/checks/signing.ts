/**
 * `signer_publicKey` and `signer_sign` as the checks of signatures and derivation call them.
 * @module
 */
import { createHash } from 'node:crypto'
import { refusalOfCall, resultOfCall } from '../call.ts'
import type { Bridge } from '../check.ts'
import { isSigned, type SigningCurve } from '../curves.ts'
import { bytesOf } from '../hex.ts'
import { expectThat } from '../outcome.ts'
import { codes } from '../response.ts'

/** More than one, since half of all signatures have a low s by chance. */
export const messages = Array.from({ length: 16 }, (_, index) => Buffer.from(`message ${index}`))

/** What is passed for a message: its digest for ECDSA, itself for ed25519. */
function signedBytes(curve: SigningCurve, message: Buffer): string {
  const bytes = curve === 'ed25519' ? message : createHash('sha256').update(message).digest()
  return bytes.toString('hex')
}

/** Public key for the params. */
export async function keyOf(bridge: Bridge, params: object): Promise<Buffer> {
  const { publicKey } = await resultOfCall(bridge, 'signer_publicKey', params)
  return bytesOf(publicKey, 'publicKey')
}

/** Signature of 64 bytes over the message; over its digest for ECDSA. */
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

/** Fails unless signatures by the key that the bridge gives for the same params verify. */
export async function checkSignatures(bridge: Bridge, curve: SigningCurve, more: object = {}) {
  const key = await keyOf(bridge, { curve, ...more })
  for (const message of messages.slice(0, 3)) {
    const signature = await sign(bridge, curve, message, more)
    const isValid = isSigned(curve, key, message, signature)
    expectThat(isValid, 'a signature that verifies', signature.toString('hex'))
  }
}

/** Fails unless the params are refused as such. */
export async function refusesSign(bridge: Bridge, params: object): Promise<void> {
  await refusalOfCall(bridge, codes.invalidParams, 'signer_sign', params)
}
