/**
 * Builds what `ps` and `inspect` show of a deployment: from its saved record, and from live facts
 * while it runs. Environment values and keys are never shown.
 * @module
 */
import { showUrl } from '@causeway/images'
import type { DeploymentRecord } from './record/record.ts'
import type { ExecutionParts } from './run/execution-parts.ts'
import { nextStep } from './schedule/schedule.ts'
import type {
  DeploymentDetail,
  DeploymentFacts,
  DeploymentState,
  DeploymentSummary,
} from './shown/deployment.ts'

export type { DeploymentDetail, DeploymentState, DeploymentSummary }

/** Parts of a deployment that a summary is made from. */
export type Visible = Pick<ExecutionParts, 'keeper' | 'loaded' | 'live' | 'output'>

export function summaryOf(deployment: Visible): DeploymentSummary {
  const { name, id, deployedAt, executions, missed, history } = deployment.keeper.saved
  const last = history.find((past) => past.kind === 'ended')
  const next = nextStart(deployment)
  const { live } = deployment
  return {
    name,
    id,
    state: stateOf(deployment),
    deployedAt,
    executions,
    missed,
    ...(next !== undefined && { nextStart: next }),
    ...(last && { exit: last.exit }),
    ...(live.waiting !== undefined && { waiting: live.waiting }),
  }
}

export function detailOf(deployment: Visible): DeploymentDetail {
  const { history, current } = deployment.keeper.saved
  return {
    ...summaryOf(deployment),
    ...factsOf(deployment),
    ...(current && { current: { ...current, ...liveFacts(deployment) } }),
    history,
    log: { seq: deployment.output.seq },
  }
}

export function stateOf(deployment: Visible): DeploymentState {
  const { keeper, live } = deployment
  const { wanted, current } = keeper.saved
  if (wanted !== 'running') return current ? 'stopping' : 'stopped'
  if (current) return live.phase === 'idle' ? 'preparing' : live.phase
  return stepOf(deployment).kind === 'done' ? 'ended' : 'scheduled'
}

/** Whether nothing will happen without the operator, and everything is reported. */
export function isAtRest(deployment: Visible): boolean {
  return deployment.live.phase === 'idle' && ['stopped', 'ended'].includes(stateOf(deployment))
}

function stepOf({ keeper, loaded }: Visible) {
  return nextStep({ schedule: loaded.deployment.schedule, ...keeper.saved.plan }, Date.now())
}

function nextStart(deployment: Visible): number | undefined {
  if (deployment.keeper.saved.wanted !== 'running') return undefined
  const step = stepOf(deployment)
  return step.kind === 'wait' ? step.until : undefined
}

function factsOf({ keeper, loaded }: Visible): DeploymentFacts {
  const { origin, file, cid, allowLocalImages }: DeploymentRecord = keeper.saved
  const { deployment, manifest } = loaded
  const { schedule, memory, storage, networkRequests, slot, interfaces } = deployment
  const { methods } = deployment.policy
  return {
    origin,
    file,
    cid,
    allowLocalImages,
    image: {
      url: manifest ? showUrl(new URL(manifest.image.url)) : '',
      sha256: manifest?.image.sha256 ?? '',
    },
    entrypoint: manifest?.entrypoint ?? '',
    restartPolicy: manifest?.restartPolicy ?? 'no',
    schedule,
    memory,
    storage,
    networkRequests,
    slot,
    interfaces,
    environment: Object.keys(deployment.environment),
    warnings: loaded.warnings,
    ...(methods && { methods }),
  }
}

function liveFacts({ live: { socket, uid, sandbox, progress } }: Visible) {
  return {
    ...(socket !== undefined && { socket }),
    ...(uid !== undefined && { uid }),
    ...(sandbox !== undefined && { sandbox }),
    ...(progress && { progress: progress.phase }),
  }
}
