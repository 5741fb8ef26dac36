/** What other native addons in this process are given of a deployment (handles.h). @module */
import { addon } from '../addon.ts'
import { checkDescriptor } from '../arguments.ts'
import type { NativeHandle } from './native-handle.ts'
import { systemError } from '../system-error.ts'

/** The network of a job. */
export interface NetworkHandle {
  /** Connects and listens inside, from any thread but Node's. */
  readonly handle: NativeHandle<'network'>
  /** From now on whoever has the handle gets ESHUTDOWN. */
  close(): void
}

/** Signatures, by what for. */
export interface SignerUses {
  registration: number
  certificate: number
  handshake: number
}

/** A copy of a deployment's signing key. */
export interface SignerHandle {
  readonly handle: NativeHandle<'signer'>
  /** What was signed since the last call, also before it was closed. */
  uses(): SignerUses
  /** Zeroes the copy. From now on whoever has the handle gets ESHUTDOWN. */
  close(): void
}

/**
 * @param network descriptor of a network namespace, which stays the caller's; undefined: our own
 * @throws TypeError or RangeError naming the argument; SystemError such as `EINVAL`, or `EPERM`
 *   without the right to enter it
 */
export function openNetworkHandle(network: number | undefined): NetworkHandle {
  if (network !== undefined) checkDescriptor(network, 'network')
  const handle = addon().openNetworkHandle(network ?? -1)
  if (typeof handle === 'number') throw systemError('setns', handle)
  return { handle, close: () => addon().closeNetworkHandle(handle) }
}
