/** The options of a supervisor. @module */
import type { Logger } from '@causeway/service/log'
import type { Execute } from '../execution/contract/request.ts'
import type { LogLimits } from './log/log-state.ts'
import type { DeploymentKeys } from './new-deployment.ts'
import type { RecordReserve } from './record/record-reserve.ts'
import type { Patience } from './run/patience.ts'

export interface SupervisorOptions {
  /** Folder of the deployments; no other process may write to it. */
  deployments: string
  logs: LogLimits
  /** Reserved space on the same disk. */
  reserve: RecordReserve
  keys: DeploymentKeys
  execute: Execute
  /** Once aborted, jobs stop without a grace period, and a running grace period ends. */
  noGrace: AbortSignal
  log: Logger
  /** Times between two tries of an execution that the host keeps from starting. */
  patience?: Patience
}
