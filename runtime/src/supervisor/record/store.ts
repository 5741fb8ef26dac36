/** The store of deployments: each has a folder below `deployments` of the state folder. @module */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { removeTree } from '@causeway/images'
import { labelPrefix } from '../../signer/labels.ts'
import type { DeploymentLabel } from '../../signer/backend.ts'
import { readRecord, recordMissing, type DeploymentRecord } from './record.ts'

const nameBytes = 16
const namePattern = /^[0-9a-f]{32}$/
const draftPattern = /^(?:new|gone)-[0-9a-f]+$/
// A job with its own uid must be able to walk to its root without seeing other files on the way.
const passageMode = 0o711

export interface DeploymentPaths {
  folder: string
  record: string
  /** Whose deployment it is, for when the record cannot be read. */
  identity: string
  logs: string
  executions: string
  revisions: string
}

/** Files of a deployment as they were deployed. */
export interface RevisionPaths {
  folder: string
  /** The operator's file. */
  deployment: string
  bundle: string
}

/** Equal for equal keys: the name is made from what the keys are derived from. */
export function deploymentName(label: DeploymentLabel): string {
  return createHash('sha256').update(labelPrefix(label)).digest().toString('hex', 0, nameBytes)
}

export function deploymentPaths(deployments: string, name: string): DeploymentPaths {
  const folder = join(deployments, name)
  return {
    folder,
    record: join(folder, 'record.json'),
    identity: join(folder, 'identity.json'),
    logs: join(folder, 'logs'),
    executions: join(folder, 'executions'),
    revisions: join(folder, 'revisions'),
  }
}

export function revisionPaths({ revisions }: DeploymentPaths, revision: number): RevisionPaths {
  return filesIn(join(revisions, String(revision)))
}

/** Whether a folder of the store is a deployment's. */
export function isDeploymentName(name: string): boolean {
  return namePattern.test(name)
}

/** A folder for a deployment without a record; the next start removes leftovers. */
export async function createDraft(deployments: string): Promise<RevisionPaths> {
  const folder = join(deployments, `new-${randomBytes(8).toString('hex')}`)
  await mkdir(folder, { mode: 0o700 })
  return filesIn(folder)
}

function filesIn(folder: string): RevisionPaths {
  return {
    folder,
    deployment: join(folder, 'deployment.json'),
    bundle: join(folder, 'bundle.zip'),
  }
}

/** Creates a deployment's folders with their modes under any umask. */
export async function createFolders(paths: DeploymentPaths): Promise<void> {
  for (const folder of [paths.folder, paths.executions]) {
    await mkdir(folder, { recursive: true })
    await chmod(folder, passageMode)
  }
  await mkdir(paths.revisions, { recursive: true, mode: 0o700 })
}

/** A stored deployment, with its record or the error of reading it. */
export type FoundDeployment = { name: string; paths: DeploymentPaths } & (
  { record: DeploymentRecord } | { error: Error }
)

/**
 * Names of all deployments, in their order. Removes unfinished drafts, so no other process may use
 * the folder.
 */
export async function storedNames(deployments: string): Promise<string[]> {
  const names = (await readdir(deployments)).sort()
  for (const name of names) if (draftPattern.test(name)) await removeTree(join(deployments, name))
  return names.filter(isDeploymentName)
}

/**
 * A deployment; undefined for one that is being removed or was never deployed to the end: nothing of
 * it is left then.
 */
export async function findDeployment(
  deployments: string,
  name: string,
): Promise<FoundDeployment | undefined> {
  const paths = deploymentPaths(deployments, name)
  try {
    const record = readRecord(paths.record)
    // A deployment has its log as soon as it has a record: this one has lost the record.
    if (!record && existsSync(paths.logs)) throw recordMissing(paths.record)
    if (record && record.wanted !== 'removed') {
      await removeLeftovers(paths, record)
      return { name, paths, record }
    }
    await removeDeployment(paths.folder)
    return undefined
  } catch (error) {
    return { name, paths, error: error as Error }
  }
}

/** Removes a deployment's folder. After a crash nothing is left that looks like half a deployment. */
export async function removeDeployment(folder: string): Promise<void> {
  const gone = join(dirname(folder), `gone-${randomBytes(8).toString('hex')}`)
  // Where it can't be renamed, there is nothing, or removing it says why.
  const renamed = await rename(folder, gone).then(
    () => gone,
    () => folder,
  )
  await removeTree(renamed)
}

/** Removes folders of other revisions and of ended executions. */
async function removeLeftovers(paths: DeploymentPaths, record: DeploymentRecord): Promise<void> {
  await removeOthers(paths.revisions, record.revision)
  await removeOthers(paths.executions, record.current?.number)
}

async function removeOthers(folder: string, kept: number | undefined): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== String(kept)) await removeTree(join(folder, name))
  }
}
