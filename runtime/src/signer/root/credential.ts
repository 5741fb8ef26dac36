/**
 * systemd credentials (systemd.exec(5)): secrets that the service manager hands to a service.
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A credential and where it lies. */
export interface Credential {
  path: string
  content: Buffer
}

/** The credential of a name, when the service manager gave one. */
export function readCredential(name: string): Credential | undefined {
  const folder = process.env['CREDENTIALS_DIRECTORY']
  if (!folder) return undefined
  const path = join(folder, name)
  try {
    return { path, content: readFileSync(path) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
