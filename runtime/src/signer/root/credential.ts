/**
 * Reads systemd credentials (systemd.exec(5)), which the service manager passes to a service.
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere } from '@causeway/service/failure'

/** A credential and the path of its file. */
export interface Credential {
  path: string
  content: Buffer
}

/** The credential with this name; undefined when the service manager passed none. */
export function readCredential(name: string): Credential | undefined {
  const folder = process.env['CREDENTIALS_DIRECTORY']
  if (!folder) return undefined
  const path = join(folder, name)
  return ifThere(() => ({ path, content: readFileSync(path) }))
}
