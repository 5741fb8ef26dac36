/**
 * Where deployments are kept: a folder each, below `deployments` of the state folder.
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '@causeway/images'
import { labelPrefix } from '../../signer/labels.ts'
import type { DeploymentLabel } from '../../signer/backend.ts'
import { readRecord, type DeploymentRecord } from './record.ts'

const nameBytes = 16
const namePattern = /^[0-9a-f]{32}$/
const draftPattern = /^new-[0-9a-f]+$/
// A job under a uid of its own must be able to walk to its root, and to see nothing on the way.
const passageMode = 0o711

/** Paths of a deployment. */
export interface DeploymentPaths {
  folder: string
  record: string
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

/** The same for the same keys: it is made of what they are derived from. */
export function deploymentName(label: DeploymentLabel): string {
  return createHash('sha256').update(labelPrefix(label)).digest().toString('hex', 0, nameBytes)
}

export function deploymentPaths(deployments: string, name: string): DeploymentPaths {
  const folder = join(deployments, name)
  return {
    folder,
    record: join(folder, 'record.json'),
    logs: join(folder, 'logs'),
    executions: join(folder, 'executions'),
    revisions: join(folder, 'revisions'),
  }
}

export function revisionPaths({ revisions }: DeploymentPaths, revision: number): RevisionPaths {
  return filesIn(join(revisions, String(revision)))
}

/** A folder of a deployment that has no record yet; the next start removes what is left of it. */
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

/** Makes a deployment's folders, whatever the umask. */
export async function createFolders(paths: DeploymentPaths): Promise<void> {
  for (const folder of [paths.folder, paths.executions]) {
    await mkdir(folder, { recursive: true })
    await chmod(folder, passageMode)
  }
  await mkdir(paths.revisions, { recursive: true, mode: 0o700 })
}

/** A deployment that was found: with its record, or with what is wrong with it. */
export type FoundDeployment = { name: string; paths: DeploymentPaths } & (
  { record: DeploymentRecord } | { error: Error }
)

/**
 * All deployments. Removes what was never finished, or not yet removed: only for whoever is sure
 * that nobody else uses the folder.
 */
export async function findDeployments(deployments: string): Promise<FoundDeployment[]> {
  const found: FoundDeployment[] = []
  for (const name of (await readdir(deployments)).sort()) {
    if (draftPattern.test(name)) await removeTree(join(deployments, name))
    else if (namePattern.test(name)) found.push(...(await findDeployment(deployments, name)))
  }
  return found
}

async function findDeployment(deployments: string, name: string): Promise<FoundDeployment[]> {
  const paths = deploymentPaths(deployments, name)
  try {
    const record = readRecord(paths.record)
    if (record && record.wanted !== 'removed') {
      await removeLeftovers(paths, record)
      return [{ name, paths, record }]
    }
    await removeTree(paths.folder)
    return []
  } catch (error) {
    return [{ name, paths, error: error as Error }]
  }
}

/** Folders of other revisions and of executions that are over. */
async function removeLeftovers(paths: DeploymentPaths, record: DeploymentRecord): Promise<void> {
  await removeOthers(paths.revisions, record.revision)
  await removeOthers(paths.executions, record.current?.number)
}

async function removeOthers(folder: string, kept: number | undefined): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== String(kept)) await removeTree(join(folder, name))
  }
}
