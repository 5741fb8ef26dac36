/** Deploys: stores a requested deployment and starts it. @module */
import { removeTree } from '@causeway/images'
import { afterwards, orUndo } from '@causeway/service/failure'
import { StartError } from '../errors/start-error.ts'
import {
  adopt,
  inTurn,
  refuseWhenClosing,
  stillStarting,
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
import { orTellRefusal, type Command } from './refusals.ts'
import { superviseDeployment, type Supervised } from './supervised.ts'
import { detailOf, type DeploymentDetail } from './summary.ts'

/** @throws DocumentError or StartError; then an existing deployment goes on */
export async function deploy(
  context: SupervisorContext,
  request: DeployRequest,
): Promise<DeploymentDetail> {
  const command: Command = { command: 'deploy', file: request.file }
  return orTellRefusal(context.log, command, async () => {
    const fresh = await draftDeployment(context.deployments, request.file, context.keys)
    command.deployment = fresh.identity.id
    const installed = inTurn(context, fresh.name, () => install(context, fresh, request))
    // The draft folder: gone after success, left over after a refusal.
    return afterwards(installed, () => removeTree(fresh.draft.folder))
  })
}

async function install(
  context: SupervisorContext,
  fresh: NewDeployment,
  request: DeployRequest,
): Promise<DeploymentDetail> {
  const { entries, keys, deployments } = context
  const { recovery } = context
  if (recovery.pending.has(fresh.name)) throw stillStarting(fresh.identity.id, recovery)
  const existing = entries.get(fresh.name)
  if (existing && !request.replace) throw existsAlready(existing, fresh)
  const previous = existing && undamaged(existing)
  keys.importKeys(fresh.loaded.deployment, fresh.identity)
  const revision = (previous?.keeper.latest.revision ?? 0) + 1
  await storeRevision(deployments, fresh, revision)
  // The end of the daemon interrupts a running execution, which must not count as replaced.
  refuseWhenClosing(context)
  await previous?.close({ kind: 'stop', detail: 'replaced by a new deployment' })
  const first = firstRecord(fresh, request, Date.now())
  const record = previous ? following(previous.keeper.latest, first) : first
  return begin(context, record, previous)
}

/** Writes the record: from then on the deployment exists. */
async function begin(
  context: SupervisorContext,
  record: DeploymentRecord,
  previous: Supervised | undefined,
): Promise<DeploymentDetail> {
  const { name, revision } = record
  const paths = deploymentPaths(context.deployments, name)
  const goOn = async () => {
    const found = previous && { name, paths, record: previous.keeper.latest }
    if (found) context.entries.set(name, await adopt(found, context))
  }
  await orUndo(() => writeRecord(paths.record, record), goOn)
  const entry = await superviseDeployment(paths, record, context)
  context.entries.set(name, entry)
  const { id: deployment, file } = record
  context.log.info({ deployment, name, revision, file }, 'deployed')
  if (previous) await removeTree(revisionPaths(paths, revision - 1).folder)
  return detailOf(entry)
}

function existsAlready({ name }: Entry, { identity, loaded }: NewDeployment): StartError {
  return new StartError(
    'DEPLOYMENT_EXISTS',
    `${loaded.deployment.file}: deployment ${identity.id} exists already (${name}); --replace replaces it`,
  )
}
