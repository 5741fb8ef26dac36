/**
 * A deployment that was asked for → one that is kept and runs.
 * @module
 */
import { removeTree } from '@causeway/images'
import { StartError } from '../errors/start-error.ts'
import {
  adopt,
  inTurn,
  refuseWhenClosing,
  undamaged,
  type Entry,
  type SupervisorContext,
} from './entries.ts'
import {
  draftDeployment,
  firstRecord,
  following,
  storeRevision,
  type DeployRequest,
  type NewDeployment,
} from './new-deployment.ts'
import { writeRecord } from './record/record-keeper.ts'
import type { DeploymentRecord } from './record/record.ts'
import { deploymentPaths, revisionPaths } from './record/store.ts'
import { superviseDeployment, type Supervised } from './supervised.ts'
import { detailOf, type DeploymentDetail } from './summary.ts'

/** @throws DocumentError or StartError; what was there before goes on then */
export async function deploy(
  context: SupervisorContext,
  request: DeployRequest,
): Promise<DeploymentDetail> {
  const fresh = await draftDeployment(context.deployments, request.file, context.keys)
  try {
    return await inTurn(context, fresh.name, () => install(context, fresh, request))
  } finally {
    // Where it was moved from; still there when it was refused.
    await removeTree(fresh.draft.folder)
  }
}

async function install(
  context: SupervisorContext,
  fresh: NewDeployment,
  request: DeployRequest,
): Promise<DeploymentDetail> {
  const { entries, keys, deployments } = context
  const existing = entries.get(fresh.name)
  if (existing && !request.replace) throw existsAlready(existing, fresh)
  const previous = existing && undamaged(existing)
  keys.importKeys(fresh.loaded.deployment, fresh.identity)
  const revision = (previous?.keeper.latest.revision ?? 0) + 1
  await storeRevision(deployments, fresh, revision)
  // The daemon's end interrupts what runs; it must not count as replaced then, and ended.
  refuseWhenClosing(context)
  await previous?.close({ kind: 'stop', detail: 'replaced by a new deployment' })
  const first = firstRecord(fresh, request, Date.now())
  const record = previous ? following(previous.keeper.latest, first) : first
  return begin(context, record, previous)
}

/** From the moment that the record is there the deployment is. */
async function begin(
  context: SupervisorContext,
  record: DeploymentRecord,
  previous: Supervised | undefined,
): Promise<DeploymentDetail> {
  const { name, revision } = record
  const paths = deploymentPaths(context.deployments, name)
  try {
    await writeRecord(paths.record, record)
  } catch (error) {
    const found = previous && { name, paths, record: previous.keeper.latest }
    if (found) context.entries.set(name, await adopt(found, context))
    throw error
  }
  const entry = await superviseDeployment(paths, record, context)
  context.entries.set(name, entry)
  if (previous) await removeTree(revisionPaths(paths, revision - 1).folder)
  return detailOf(entry)
}

function existsAlready({ name }: Entry, { identity, loaded }: NewDeployment): StartError {
  return new StartError(
    'DEPLOYMENT_EXISTS',
    `${loaded.deployment.file}: deployment ${identity.id} is there already (${name}); --replace puts this one in its place`,
  )
}
