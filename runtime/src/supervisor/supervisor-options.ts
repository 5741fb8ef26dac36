/**
 * What a supervisor works with.
 * @module
 */
import type { Logger } from '@causeway/service/log'
import type { Execute } from '../execution/contract/request.ts'
import type { LogLimits } from './log/log-state.ts'
import type { DeploymentKeys } from './new-deployment.ts'
import type { RecordReserve } from './record/record-reserve.ts'

export interface SupervisorOptions {
  /** Folder of the deployments; nobody else may write to it meanwhile. */
  deployments: string
  logs: LogLimits
  /** On the same disk. */
  reserve: RecordReserve
  keys: DeploymentKeys
  execute: Execute
  /** Once aborted, jobs are stopped without a grace period. */
  noGrace: AbortSignal
  log: Logger
}
