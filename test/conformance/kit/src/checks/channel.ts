/**
 * Calls `signer_encrypt` and `signer_decrypt` for the cipher checks.
 * @module
 */
import { resultOfCall } from '../call.ts'
import type { Bridge } from '../check.ts'
import { compressed, type EncryptionCurve } from '../curves.ts'
import { bytesOf } from '../hex.ts'
import { CheckSkipped } from '../outcome.ts'

/** Parameters of one exchange of messages. */
export interface Channel {
  curve: EncryptionCurve
  publicKey: Buffer
  salt: Buffer
}

/** Encrypts or decrypts; the call must succeed. */
export async function transform(
  bridge: Bridge,
  method: 'signer_encrypt' | 'signer_decrypt',
  channel: Channel,
  bytes: Buffer,
): Promise<Buffer> {
  const result = await resultOfCall(bridge, method, paramsOf(channel, bytes))
  return bytesOf(result['bytes'], 'bytes')
}

/** Params for both methods. */
export function paramsOf({ curve, publicKey, salt: salted }: Channel, bytes: Buffer) {
  return {
    curve,
    publicKey: publicKey.toString('hex'),
    salt: salted.toString('hex'),
    bytes: bytes.toString('hex'),
  }
}

/** The deployment's own key, compressed. @throws CheckSkipped without a key on the curve */
export async function ownKey(bridge: Bridge, curve: EncryptionCurve): Promise<Buffer> {
  const { encryptionKeys } = await resultOfCall(bridge, 'deployment_encryptionKeys')
  const key = (encryptionKeys as Record<string, unknown> | undefined)?.[curve]
  if (key === undefined) throw new CheckSkipped(`this deployment has no ${curve} encryption key`)
  return compressed(curve, bytesOf(key, `encryptionKeys.${curve}`))
}
