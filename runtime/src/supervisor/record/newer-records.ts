/** Looks for records of a newer version of Causeway before anything is done with a store. @module */
import { readdirSync } from 'node:fs'
import { ifThere } from '@causeway/service/failure'
import { StartError } from '../../errors/start-error.ts'
import { readRecord } from './record.ts'
import { deploymentPaths, isDeploymentName } from './store.ts'

/** @throws StartError STATE_NEWER naming the record */
export function refuseNewerRecords(deployments: string): void {
  for (const name of ifThere(() => readdirSync(deployments)) ?? [])
    if (isDeploymentName(name)) refuseNewer(deploymentPaths(deployments, name).record)
}

/** What else is wrong with a record concerns its deployment alone. */
function refuseNewer(path: string): void {
  try {
    readRecord(path)
  } catch (error) {
    if (error instanceof StartError && error.kind === 'STATE_NEWER') throw error
  }
}
