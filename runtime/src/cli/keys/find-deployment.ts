/** Which deployment an operator means: one in a file, or one that the daemon has. @module */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { orNone } from '@causeway/service/failure'
import type { IdentityFields } from '../../deployment/identity.ts'
import { loadWithoutSandbox } from '../../deployment/load.ts'
import { StartError } from '../../errors/start-error.ts'
import { stateRoot } from '../../state/state-folders.ts'
import { findRecord } from '../../supervisor/record/find-record.ts'

/**
 * A file is looked for first; the daemon need not run.
 * @param reference a deployment file, an id, or the beginning of a name
 * @throws DocumentError or StartError
 */
export async function findDeployment(
  reference: string,
  { state }: { state?: string },
): Promise<IdentityFields> {
  const isThere = orNone(() => statSync(reference).isFile()) ?? false
  if (isThere) return (await loadWithoutSandbox(reference)).deployment
  const { file, id, origin } = recordOf(reference, join(stateRoot(state), 'deployments'))
  return { file, id, origin }
}

function recordOf(reference: string, deployments: string) {
  try {
    return findRecord(deployments, reference)
  } catch (cause) {
    if (!(cause instanceof StartError) || cause.kind !== 'DEPLOYMENT_UNKNOWN') throw cause
    const text = `${cause.message}; nor is it a deployment file`
    throw new StartError('DEPLOYMENT_UNKNOWN', text, { cause })
  }
}
