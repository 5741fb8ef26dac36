/**
 * An operator's deployment file → files of the store, which need the operator's no more.
 * @module
 */
import { chmod, copyFile, rename } from 'node:fs/promises'
import { removeTree } from '@causeway/images'
import type { Deployment } from '@causeway/manifest'
import { StartError } from '../errors/start-error.ts'
import { openBundle, type Bundle } from '../deployment/bundle.ts'
import { labelOf, type Identity } from '../deployment/identity.ts'
import { readInputFile } from '../deployment/input-file.ts'
import { loadDeployment, type LoadedDeployment } from '../deployment/load.ts'
import type { DeploymentRecord } from './record/record.ts'
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

/** What deployments need of the host's keys. */
export interface DeploymentKeys {
  identify(deployment: Deployment): Identity
  /** Seals the keys of the deployment's `keys` file into the state folder. */
  importKeys(deployment: Deployment, identity: Identity): void
  /** Forgets imported keys. */
  forgetKeys(identity: Pick<Identity, 'id' | 'origin'>): void
}

/** What was asked for. */
export interface DeployRequest {
  /** Deployment file, absolute. */
  file: string
  /** Put it in the place of one with the same id. */
  replace: boolean
  allowLocalImages: boolean
}

/** A deployment whose files are read, checked and copied, and that nobody knows of yet. */
export interface NewDeployment {
  name: string
  identity: Identity
  loaded: LoadedDeployment
  draft: RevisionPaths
  cid: string
}

/**
 * Copies and checks everything; the caller stores or discards the result.
 * @throws DocumentError or StartError; nothing is left then
 */
export async function draftDeployment(
  deployments: string,
  file: string,
  keys: DeploymentKeys,
): Promise<NewDeployment> {
  const draft = await createDraft(deployments)
  try {
    const { path, text } = await readInputFile(file, 'a deployment file')
    const loaded = await loadDeployment(path, draft.bundle)
    const { cid } = await ownBundle(runnable(loaded), draft)
    checkSchedule(path, loaded.deployment.schedule, Date.now())
    await replaceFile(draft.deployment, text)
    const identity = keys.identify(loaded.deployment)
    return { name: deploymentName(labelOf(identity)), identity, loaded, draft, cid }
  } catch (error) {
    await removeTree(draft.folder)
    throw error
  }
}

function runnable({ deployment, bundle, manifest }: LoadedDeployment): Bundle {
  if (bundle && manifest) return bundle
  throw new StartError(
    'MANIFEST_MISSING',
    `${deployment.file}: expected a bundle with manifest.json beside it or in "bundle", found none`,
  )
}

/** A zip of the operator's is copied; it must not have changed meanwhile. */
async function ownBundle(bundle: Bundle, draft: RevisionPaths): Promise<Bundle> {
  if (bundle.zipFile !== draft.bundle) await copyFile(bundle.zipFile, draft.bundle)
  await chmod(draft.bundle, 0o600)
  const own = await openBundle(draft.bundle, draft.bundle, new Set())
  if (own.cid === bundle.cid) return own
  throw new StartError('BUNDLE_INVALID', `bundle ${bundle.zipFile}: it changed while it was read`)
}

/** Moves the files to where a record may name them. The record itself comes last. */
export async function storeRevision(
  deployments: string,
  { name, draft }: NewDeployment,
  revision: number,
): Promise<void> {
  const paths = deploymentPaths(deployments, name)
  await createFolders(paths)
  const target = revisionPaths(paths, revision)
  await syncPath(draft.bundle)
  await syncPath(draft.folder)
  // Of a deploy that ended between this and its record.
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
    format: 1,
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

/** The same in the place of another: numbers, history and log go on. */
export function following(previous: DeploymentRecord, record: DeploymentRecord): DeploymentRecord {
  const { executions, missed, history, revision } = previous
  return { ...record, revision: revision + 1, executions, missed, history }
}
