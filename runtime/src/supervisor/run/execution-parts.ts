/** Parts of a deployment that all its executions use. @module */
import type { Logger } from '@causeway/service/log'
import type { LoadedDeployment } from '../../deployment/load.ts'
import type { Execute } from '../../execution/contract/request.ts'
import type { DeploymentLog } from '../log/logs.ts'
import type { RecordKeeper } from '../record/record-keeper.ts'
import type { EventFeed } from './event-feed.ts'
import type { LiveState } from './live-state.ts'
import type { Patience } from './patience.ts'

/** Parts of a deployment that an execution uses. */
export interface ExecutionParts {
  loaded: LoadedDeployment
  /** Folder of the deployment's executions. */
  executions: string
  keeper: RecordKeeper
  output: DeploymentLog
  feed: EventFeed
  live: LiveState
  execute: Execute
  /** Once aborted, jobs stop without a grace period, and a running grace period ends. */
  noGrace: AbortSignal
  log: Logger
  patience?: Patience
}
