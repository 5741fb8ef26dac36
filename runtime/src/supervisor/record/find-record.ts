/** Reads one deployment's record without a daemon; it changes nothing, so one may be running. @module */
import { readdirSync } from 'node:fs'
import { ifThere } from '@causeway/service/failure'
import { knownId } from './known-identity.ts'
import { readRecord, type DeploymentRecord } from './record.ts'
import { referredTo, unknownDeployment, type Named } from './reference.ts'
import { deploymentPaths, isDeploymentName } from './store.ts'

/** A deployment's record, or a function that throws why it cannot be read. */
type Found = Named & { open: () => DeploymentRecord }

/**
 * @param deployments folder of all deployments; it may be missing
 * @param reference an id, or the beginning of a name
 * @throws StartError DEPLOYMENT_UNKNOWN, RECORD_DAMAGED
 */
export function findRecord(deployments: string, reference: string): DeploymentRecord {
  const names = (ifThere(() => readdirSync(deployments)) ?? []).filter(isDeploymentName)
  const found = names.flatMap((name) => lookInto(deployments, name))
  const one = referredTo(found, reference)
  if (one) return one.open()
  throw unknownDeployment(reference)
}

/** A damaged record must not hide the others: its error is thrown only when it is the one. */
function lookInto(deployments: string, name: string): Found[] {
  const paths = deploymentPaths(deployments, name)
  try {
    const record = readRecord(paths.record)
    if (record === undefined || record.wanted === 'removed') return []
    return [{ name, id: record.id, open: () => record }]
  } catch (error) {
    const open = () => {
      throw error
    }
    return [{ name, id: knownId(paths), open }]
  }
}
