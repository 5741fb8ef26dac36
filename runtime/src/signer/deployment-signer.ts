/**
 * The host's own signatures under a deployment's key, such as those of its tunnel. The audit log has
 * them as events: no process of the job asked for them.
 * @module
 */
import type { SignerUses } from '@causeway/native'
import type { NativeHandle } from '@causeway/native/network'
import type { Keyring } from './keyring.ts'

/** What the host signs for. */
export type SigningPurpose = keyof SignerUses

/** Where the host's uses of a key are recorded. */
export interface HostUseRecorder {
  /** @throws RpcError UNAVAILABLE while nothing can be recorded; then no key may be used */
  check(): void
  recordHost(use: { purpose: SigningPurpose; curve: 'p256'; count: number }): void
  commit(): void
}

export interface DeploymentSigner {
  /** The deployment's p256 signing key, SEC1 compressed, 33 bytes. */
  readonly publicKey: Uint8Array
  /** Signs as native code, which never shows a key; undefined with the portable backend. */
  readonly handle: NativeHandle<'signer'> | undefined
  /**
   * Signs a digest of 32 bytes, and has the line about it on the disk before it returns.
   * @returns raw `r‖s`, low s, 64 bytes
   */
  sign(purpose: SigningPurpose, digest: Uint8Array): Uint8Array
  /** Records what the handle has signed since the last call: a line for each purpose. */
  recordUses(): void
  /** Zeroes the handle's copy of the key and records its last uses; the keyring stays open. */
  close(): void
}

export function createDeploymentSigner(
  keyring: Keyring,
  recorder: HostUseRecorder,
): DeploymentSigner {
  const native = keyring.openHandle()
  const record = (uses: Partial<SignerUses>) => {
    for (const [purpose, count] of Object.entries(uses)) {
      if (count === 0) continue
      recorder.recordHost({ purpose: purpose as SigningPurpose, curve: 'p256', count })
    }
    recorder.commit()
  }
  const recordUses = () => record(native?.uses() ?? {})
  return {
    publicKey: keyring.publicKeys.p256,
    handle: native?.handle,
    sign(purpose, digest) {
      recorder.check()
      const signature = keyring.sign('p256', digest)
      record({ [purpose]: 1 })
      return signature
    },
    recordUses,
    close() {
      native?.close()
      recordUses()
    },
  }
}
