/** AES-256-GCM over node:crypto. @module */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16

/** Returns `iv ‖ ciphertext ‖ tag`; the tag also authenticates the additional data. */
export function seal(key: Uint8Array, additional: Uint8Array, plaintext: Uint8Array): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(additional)
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** The plaintext; undefined when key, additional data or tag do not match. */
export function unseal(
  key: Uint8Array,
  additional: Uint8Array,
  sealed: Uint8Array,
): Buffer | undefined {
  if (sealed.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(additional).setAuthTag(sealed.subarray(-tagBytes))
  const plaintext = decipher.update(sealed.subarray(ivBytes, -tagBytes))
  try {
    decipher.final()
    return plaintext
  } catch {
    plaintext.fill(0)
    return undefined
  }
}
