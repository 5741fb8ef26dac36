/**
 * What a deployment's executions have in common.
 * @module
 */
import type { Logger } from '@causeway/service/log'
import type { LoadedDeployment } from '../../deployment/load.ts'
import type { Execute } from '../../execution/contract/request.ts'
import type { DeploymentLog } from '../log/logs.ts'
import type { RecordKeeper } from '../record/record-keeper.ts'
import type { EventFeed } from './event-feed.ts'
import type { LiveState } from './live-state.ts'

/** What a deployment's execution works with. */
export interface ExecutionParts {
  loaded: LoadedDeployment
  /** Folder of the deployment's executions. */
  executions: string
  keeper: RecordKeeper
  output: DeploymentLog
  feed: EventFeed
  live: LiveState
  execute: Execute
  /** Once aborted, jobs are stopped without a grace period. */
  noGrace: AbortSignal
  log: Logger
}
