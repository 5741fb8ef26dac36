/** Whose processes may call, and why others may not. @module */
import type { NativeAdmission } from '../addon.ts'
import { checkInteger, checkUid } from '../arguments.ts'
import { checked } from '../system-error.ts'

/**
 * Why a peer is refused. `not-open`: nobody may call yet; `uid`, `namespace`, `tracer`: the peer
 * has the wrong one; `gone`: the process that connected has ended; `too-many`: connections.
 */
export type RefusalReason = 'not-open' | 'uid' | 'gone' | 'namespace' | 'tracer' | 'too-many'

export interface Refusal {
  reason: RefusalReason
  /** The peer's uid, PID namespace inode, or tracer's pid (0 none, -1 unreadable). */
  observed: number
}

/**
 * Whose processes may call. `uid`: all processes of that user. `pid-namespace`: those in the PID
 * namespace of process `pid`, or in one inside it. `tracer`: those that process `pid` traces. A
 * later namespace or process with the same number is not confused with it. `uidCount` (default 1)
 * makes the user a range that starts at `uid`.
 */
export type Membership = { uid: number; uidCount?: number } & (
  { by: 'uid' } | { by: 'pid-namespace' | 'tracer'; pid: number }
)

const memberships = ['uid', 'pid-namespace', 'tracer'] as const
const reasons = ['', 'not-open', 'uid', 'gone', 'namespace', 'tracer', 'too-many'] as const

/** @throws TypeError or RangeError naming the argument; SystemError, such as `ESRCH` */
export function admit(native: NativeAdmission, membership: Membership): void {
  const pid = membership.by === 'uid' ? 0 : membership.pid
  const { by, uid, uidCount = 1 } = membership
  checkUid(uid, 'uid')
  checkInteger(uidCount, 'uidCount', 1, 0xffffffff - uid)
  checkInteger(pid, 'pid', by === 'uid' ? 0 : 1, 0x7fffffff)
  checked('admit', native.admit(memberships.indexOf(by), uid, uidCount, pid))
}

/**
 * @param reason as the addon tells it; 0: none
 * @param observed where the addon puts what it saw
 */
export function refusal(reason: number, observed: Float64Array): Refusal | undefined {
  return reason === 0 ? undefined : { reason: reasonAt(reason), observed: observed[0]! }
}

export function reasonAt(index: number): RefusalReason {
  return reasons[index] as RefusalReason
}
