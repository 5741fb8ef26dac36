/**
 * Describes refused callers. Abstract sockets have no file mode, and every local user can read
 * their names. So the engine of `@causeway/native` checks the calling process with the kernel: at
 * accept, and again before the reply to a key operation.
 * @module
 */
import type { EngineRefusal } from '@causeway/native'
import { RpcError } from './errors.ts'

/** Error for every refused peer; it reveals nothing about this or other deployments. */
export function peerRejected(): RpcError {
  return new RpcError('PEER_REJECTED', 'the calling process does not belong to this deployment')
}

/** For the host's log: what the kernel reported about the peer, and why that is refused. */
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
