/**
 * Handlers of `signer_*`: hex on the wire, bytes in the keyring, a record of each use of a key.
 * @module
 */
import type { CipherParams, SignerMethods, SigningCurve } from '@causeway/guest-sdk/protocol'
import type { AuditUse } from '@causeway/native'
import { RpcError } from '../bridge/errors.ts'
import { hexBytes, toHex } from '../bridge/hex.ts'
import type { Handlers } from '../bridge/methods.ts'
import type { Keyring, Peer } from './keyring.ts'

/** One use of a deployment's keys, as it is recorded; it contains no key and no plaintext. */
export interface SignerKeyUse extends AuditUse {
  method: keyof SignerMethods
  curve: SigningCurve
}

/** Records uses of keys. */
export interface KeyUseRecorder {
  /** @throws RpcError UNAVAILABLE while earlier uses cannot be recorded; then no key may be used */
  check(): void
  record(use: SignerKeyUse): void
}

export function signerHandlers(
  keyring: Keyring,
  uses: KeyUseRecorder,
): Handlers<keyof SignerMethods> {
  return {
    signer_publicKey({ peer: { pid } }, { curve, derivationPath: path }) {
      uses.check()
      const publicKey = keyring.publicKey(curve, path)
      uses.record({ method: 'signer_publicKey', curve, path, pid })
      const found = toHex(publicKey)
      return path === undefined ? { publicKey: found } : { publicKey: found, derivationPath: path }
    },
    signer_sign({ peer: { pid } }, { curve, bytes, derivationPath: path }) {
      uses.check()
      const input = hexBytes(bytes)
      const signature = keyring.sign(curve, input, path)
      uses.record({ method: 'signer_sign', curve, path, input, pid })
      return { bytes: toHex(signature) }
    },
    signer_encrypt({ peer: { pid } }, params) {
      uses.check()
      const sealed = keyring.encrypt(peerOf(params), hexBytes(params.bytes))
      const { curve } = params
      // Records the ciphertext: a hash of a short plaintext would reveal it.
      uses.record({ method: 'signer_encrypt', curve, input: sealed, pid })
      return { bytes: toHex(sealed) }
    },
    signer_decrypt({ peer: { pid } }, params) {
      uses.check()
      const input = hexBytes(params.bytes)
      const use = { method: 'signer_decrypt', curve: params.curve, input, pid } as const
      try {
        const plaintext = keyring.decrypt(peerOf(params), input)
        uses.record(use)
        return { bytes: toHex(plaintext) }
      } catch (error) {
        // A failed decryption is recorded, too: it used the key.
        if (error instanceof RpcError && error.kind === 'DECRYPT_FAILED')
          uses.record({ ...use, outcome: error.kind })
        throw error
      }
    },
  }
}

function peerOf({ curve, publicKey, salt }: CipherParams): Peer {
  return { curve, peerPublicKey: hexBytes(publicKey), salt: hexBytes(salt) }
}
