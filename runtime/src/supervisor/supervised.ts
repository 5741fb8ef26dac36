/**
 * Puts a stored deployment under supervision: loads it, and starts its life, record and log.
 * @module
 */
import { createEventFeed } from './run/event-feed.ts'
import { liveDeployment, type DeploymentLife } from './deployment-life.ts'
import type { ExecutionParts } from './run/execution-parts.ts'
import type { EndCause } from './run/execution-run.ts'
import { createLiveState } from './run/live-state.ts'
import { openDeploymentLog } from './log/logs.ts'
import { keepRecord } from './record/record-keeper.ts'
import type { DeploymentRecord } from './record/record.ts'
import { revisionPaths, type DeploymentPaths } from './record/store.ts'
import { loadStored } from './stored-deployment.ts'
import type { SupervisorOptions } from './supervisor-options.ts'

export interface Supervised extends ExecutionParts {
  name: string
  folder: string
  life: DeploymentLife
  /** Ends its execution, then closes record, log and feed; the first cause counts. */
  close(cause: EndCause): Promise<void>
}

/** @throws Error when its files differ from what was stored */
export async function superviseDeployment(
  paths: DeploymentPaths,
  record: DeploymentRecord,
  { logs, reserve, execute, noGrace, log, patience }: SupervisorOptions,
): Promise<Supervised> {
  const loaded = await loadStored(revisionPaths(paths, record.revision), record)
  const output = await openDeploymentLog({ ...logs, folder: paths.logs, log })
  const { executions, folder } = paths
  const keeper = keepRecord({ path: paths.record, record, reserve, log })
  const [feed, live] = [createEventFeed(), createLiveState()]
  const given = { execute, noGrace, log, ...(patience && { patience }) }
  const parts = { loaded, executions, keeper, output, feed, live, ...given }
  const life = liveDeployment(parts)
  const close = async (cause: EndCause) => {
    keeper.stopRetrying()
    await life.close(cause)
    await keeper.close()
    await output.close()
    feed.close()
  }
  let closed: Promise<void> | undefined
  return {
    ...parts,
    name: record.name,
    folder,
    life,
    close: (cause) => (closed ??= close(cause)),
  }
}
