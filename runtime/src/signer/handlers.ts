/**
 * `signer_*`: hex on the wire ↔ bytes in the keyring.
 * @module
 */
import type { CipherParams, SignerMethods } from '@causeway/guest-sdk/protocol'
import { hexBytes, toHex } from '../bridge/hex.ts'
import type { Handlers } from '../bridge/methods.ts'
import type { Keyring } from './keyring.ts'

export function signerHandlers(keyring: Keyring): Handlers<keyof SignerMethods> {
  return {
    signer_publicKey: (_context, { curve, derivationPath }) => ({
      publicKey: toHex(keyring.publicKey(curve, derivationPath)),
      ...(derivationPath !== undefined && { derivationPath }),
    }),
    signer_sign: (_context, { curve, bytes, derivationPath }) => ({
      bytes: toHex(keyring.sign(curve, hexBytes(bytes), derivationPath)),
    }),
    signer_encrypt: (_context, params) => ({
      bytes: toHex(keyring.encrypt(peerOf(params), hexBytes(params.bytes))),
    }),
    signer_decrypt: (_context, params) => ({
      bytes: toHex(keyring.decrypt(peerOf(params), hexBytes(params.bytes))),
    }),
  }
}

function peerOf({ curve, publicKey, salt }: CipherParams) {
  return { curve, peerPublicKey: hexBytes(publicKey), salt: hexBytes(salt) }
}
