/**
 * Copies an operator's deployment file and bundle into the store, which needs no originals later.
 * @module
 */
import { chmod, copyFile, rename } from 'node:fs/promises'
import { removeTree } from '@causeway/images'
import type { Deployment } from '@causeway/manifest'
import { orUndo } from '@causeway/service/failure'
import { StartError } from '../errors/start-error.ts'
import { openBundle, type Bundle } from '../deployment/bundle.ts'
import { labelOf, type Identity } from '../deployment/identity.ts'
import { readInputFile } from '../deployment/input-file.ts'
import { loadDeployment, runnable, type LoadedDeployment } from '../deployment/load.ts'
import { keepIdentity } from './record/known-identity.ts'
import { recordFormat, type DeploymentRecord } from './record/record.ts'
import { replaceFile, syncPath } from './record/replace-file.ts'
import { checkSchedule } from './schedule/schedule.ts'
import {
  createDraft,
  createFolders,
  deploymentName,
  deploymentPaths,
  revisionPaths,
  type RevisionPaths,
} from './record/store.ts'

/** The part of the host's keys that deployments use. */
export interface DeploymentKeys {
  identify(deployment: Deployment): Identity
  /** Seals the keys of the deployment's `keys` file into the state folder. */
  importKeys(deployment: Deployment, identity: Identity): void
  /** Removes imported keys. */
  forgetKeys(identity: Pick<Identity, 'id' | 'origin'>): void
}

export interface DeployRequest {
  /** Deployment file, absolute. */
  file: string
  /** Replace a deployment with the same id. */
  replace: boolean
  allowLocalImages: boolean
}

/** A deployment whose files are read, checked and copied, but that is not installed yet. */
export interface NewDeployment {
  name: string
  identity: Identity
  loaded: LoadedDeployment
  draft: RevisionPaths
  cid: string
}

/**
 * Copies and checks everything; the caller stores or discards the result.
 * @throws DocumentError or StartError; then nothing is left
 */
export async function draftDeployment(
  deployments: string,
  file: string,
  keys: DeploymentKeys,
): Promise<NewDeployment> {
  const draft = await createDraft(deployments)
  const copy = async () => {
    const { path, text } = await readInputFile(file, 'a deployment file')
    const loaded = await loadDeployment(path, draft.bundle)
    const { cid } = await ownBundle(runnable(loaded).bundle, draft)
    checkSchedule(path, loaded.deployment.schedule, Date.now())
    await replaceFile(draft.deployment, text)
    const identity = keys.identify(loaded.deployment)
    return { name: deploymentName(labelOf(identity)), identity, loaded, draft, cid }
  }
  return orUndo(copy, () => removeTree(draft.folder))
}

/** Copies the operator's zip, and checks that it has not changed meanwhile. */
async function ownBundle(bundle: Bundle, draft: RevisionPaths): Promise<Bundle> {
  if (bundle.zipFile !== draft.bundle) await copyFile(bundle.zipFile, draft.bundle)
  await chmod(draft.bundle, 0o600)
  const own = await openBundle(draft.bundle, draft.bundle, new Set())
  if (own.cid === bundle.cid) return own
  throw new StartError('BUNDLE_INVALID', `bundle ${bundle.zipFile}: it changed while being read`)
}

/** Moves the files to their place in the store; the record is written afterwards. */
export async function storeRevision(
  deployments: string,
  { name, draft, identity }: NewDeployment,
  revision: number,
): Promise<void> {
  const paths = deploymentPaths(deployments, name)
  await createFolders(paths)
  await keepIdentity(paths, identity.id)
  const target = revisionPaths(paths, revision)
  await syncPath(draft.bundle)
  await syncPath(draft.folder)
  // Left over from a deploy that was interrupted before its record was written.
  await removeTree(target.folder)
  await rename(draft.folder, target.folder)
  await syncPath(paths.revisions)
  await syncPath(deployments)
}

/** The record of a deployment that has not run yet. */
export function firstRecord(
  { name, identity, loaded, cid }: NewDeployment,
  { allowLocalImages }: DeployRequest,
  now: number,
): DeploymentRecord {
  const { file, schedule } = loaded.deployment
  return {
    format: recordFormat,
    name,
    id: identity.id,
    origin: identity.origin,
    file,
    revision: 1,
    cid,
    allowLocalImages,
    deployedAt: now,
    wanted: 'running',
    plan: { start: schedule.startTime || now, next: 0 },
    executions: 0,
    missed: 0,
    history: [],
  }
}

/** The record of a replacement: it continues the numbers, history and log of the previous one. */
export function following(previous: DeploymentRecord, record: DeploymentRecord): DeploymentRecord {
  const { executions, missed, history, revision } = previous
  return { ...record, revision: revision + 1, executions, missed, history }
}
