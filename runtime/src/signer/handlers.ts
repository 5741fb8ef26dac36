/**
 * Handlers of `signer_*`: hex on the wire, bytes in the keyring, a record of each use of a key.
 * @module
 */
import type { CipherParams, SignerMethods, SigningCurve } from '@causeway/guest-sdk/protocol'
import { RpcError } from '../bridge/errors.ts'
import { hexBytes, toHex } from '../bridge/hex.ts'
import type { Handlers } from '../bridge/methods.ts'
import type { Keyring, Peer } from './keyring.ts'

/** One use of a deployment's keys, as it is recorded; it contains no key and no plaintext. */
export interface SignerKeyUse {
  method: keyof SignerMethods
  curve: SigningCurve
  path: string | undefined
  /** The signed bytes, or the ciphertext. */
  input: Uint8Array | undefined
  /** The calling process. */
  pid: number
  /** Error kind; absent on success. */
  outcome?: string
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
      uses.record({ method: 'signer_publicKey', curve, path, input: undefined, pid })
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
      uses.record({ method: 'signer_encrypt', curve, path: undefined, input: sealed, pid })
      return { bytes: toHex(sealed) }
    },
    signer_decrypt({ peer: { pid } }, params) {
      uses.check()
      const input = hexBytes(params.bytes)
      const use: SignerKeyUse = {
        method: 'signer_decrypt',
        curve: params.curve,
        path: undefined,
        input,
        pid,
      }
      const plaintext = decryptRecorded(keyring, uses, peerOf(params), input, use)
      return { bytes: toHex(plaintext) }
    },
  }
}

/** Records a failed decryption, too: it used the key. */
function decryptRecorded(
  keyring: Keyring,
  uses: KeyUseRecorder,
  peer: Peer,
  sealed: Uint8Array,
  use: SignerKeyUse,
): Uint8Array {
  try {
    const plaintext = keyring.decrypt(peer, sealed)
    uses.record(use)
    return plaintext
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'DECRYPT_FAILED')
      uses.record({ ...use, outcome: error.kind })
    throw error
  }
}

function peerOf({ curve, publicKey, salt }: CipherParams): Peer {
  return { curve, peerPublicKey: hexBytes(publicKey), salt: hexBytes(salt) }
}
