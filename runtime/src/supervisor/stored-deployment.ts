/** Loads a deployment from the store. @module */
import { readFile } from 'node:fs/promises'
import { parseDeployment, type Deployment } from '@causeway/manifest'
import { completeDeployment, type LoadedDeployment } from '../deployment/load.ts'
import type { DeploymentRecord } from './record/record.ts'
import type { RevisionPaths } from './record/store.ts'

/** Fixed when it was deployed, whatever happens to the operator's files. */
export type PinnedIdentity = Pick<DeploymentRecord, 'file' | 'id' | 'origin' | 'cid'>

/** @throws DocumentError or StartError when the files are not what was stored */
export async function loadStored(
  { deployment: file, bundle }: RevisionPaths,
  { file: original, id, origin, cid }: PinnedIdentity,
): Promise<LoadedDeployment> {
  const text = await readFile(file, 'utf8')
  // Its paths are relative to the operator's file, but what is wrong is wrong in the stored one.
  parseDeployment(text, file, { isAccepted: true })
  const { deployment, warnings } = parseDeployment(text, original, { isAccepted: true })
  // Its keys are already sealed in the state folder.
  const { keys: _, ...rest } = deployment
  const pinned: Deployment = { ...rest, id, origin }
  return completeDeployment(pinned, { zipFile: bundle, cid }, warnings, { isAccepted: true })
}
