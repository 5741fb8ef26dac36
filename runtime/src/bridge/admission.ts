/**
 * Who may call: abstract sockets have no file mode and their names can be read by every local
 * user, so the kernel's word on the calling process decides, at accept and again before the answer
 * of a key operation. The engine of `@causeway/native` asks; here is what is said of it.
 * @module
 */
import type { EngineRefusal } from '@causeway/native'
import { RpcError } from './errors.ts'

/** What every refused peer is told: nothing of this deployment or of others. */
export function peerRejected(): RpcError {
  return new RpcError('PEER_REJECTED', 'the calling process does not belong to this deployment')
}

/** For the host's log: what was seen of the peer, and why that is not enough. */
export function describeRefusal({ reason, observed, peer }: EngineRefusal): string {
  switch (reason) {
    case 'not-open':
      return 'the job has not been started yet'
    case 'uid':
      return `uid ${peer.uid} is not the deployment's`
    case 'gone':
      return peer.pid === 0
        ? 'the process that connected cannot be seen from here'
        : 'the process that connected has ended'
    case 'namespace':
      return `PID namespace ${observed || 'that cannot be read'} is not the deployment's`
    case 'tracer':
      return observed > 0
        ? `traced by process ${observed}, not by the deployment's PRoot`
        : "not traced by the deployment's PRoot"
    case 'too-many':
      return 'too many open connections'
  }
}
