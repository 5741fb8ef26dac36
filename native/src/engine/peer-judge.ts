/**
 * The engine's admission, for processes that reach the host in another way than by its socket.
 *
 * @module
 */
import { addon } from '../addon.ts'
import { checkInteger, checkUid } from '../arguments.ts'
import { admit, refusal, type Membership, type Refusal } from './membership.ts'

export interface PeerJudge {
  /**
   * Says who is admitted; before the first time nobody is.
   * @throws TypeError or RangeError naming the argument; SystemError, such as `ENOENT` or `ESRCH` when
   *   there is no process `pid`
   */
  admit(membership: Membership): void
  /**
   * Judges the process that has this pid now. Whether it had it when it called is for the caller to
   * see: a process that ends leaves its number to others.
   *
   * @param peer its user, and its pid in our PID namespace; 0: it has none there, and is `gone`
   * @returns undefined: it is admitted, and alive
   * @throws TypeError or RangeError naming the argument
   */
  judge(peer: { pid: number; uid: number }): Refusal | undefined
  /** Lets go of processes and namespace: nobody is admitted any more. */
  close(): void
}

export function createPeerJudge(): PeerJudge {
  const native = new (addon().PeerJudge)()
  const observed = new Float64Array(1)
  return {
    admit: (membership) => admit(native, membership),
    judge({ pid, uid }) {
      checkInteger(pid, 'pid', 0, 0x7fffffff)
      checkUid(uid, 'uid')
      return refusal(native.judge(pid, uid, observed), observed)
    },
    close: () => native.close(),
  }
}
