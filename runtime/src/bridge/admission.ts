/**
 * Who may call: abstract sockets have no file mode and their names can be read by every local
 * user, so the kernel's word on the peer decides, before a byte is read.
 * @module
 */
import { RpcError } from './errors.ts'
import type { CallContext } from './methods.ts'

/** Returns the refusal, or undefined to admit. */
export type Admit = (peer: CallContext['peer']) => RpcError | undefined

/** Admits processes of one host uid; a deployment's job runs under a uid of its own. */
export function admitUid(uid: number): Admit {
  return (peer) =>
    peer.uid === uid
      ? undefined
      : new RpcError('PEER_REJECTED', 'the calling process does not belong to this deployment')
}
