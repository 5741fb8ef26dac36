/**
 * What a check of this host found.
 * @module
 */
import type { Config } from '../config/config.ts'
import type { StateFolders } from '../state/state-folders.ts'

/** `warning`: jobs run, but something is slower or less protected than it could be. */
export type Status = 'ok' | 'warning' | 'failure'

export interface Finding {
  name: string
  status: Status
  detail: string
  /** What to do about it. */
  remedy?: string
}

/** What the checks look at. */
export interface Host {
  config: Config
  /** Opens the state folder. @throws StartError */
  openState(): StateFolders
  /** File with the passphrase of the root secret. */
  passphraseFile?: string
}

/** Looks at one thing and changes nothing; a check that throws has failed. */
export interface Check {
  name: string
  look: (host: Host) => Promise<Outcome> | Outcome
}

export type Outcome = Omit<Finding, 'name'>

export function ok(detail: string): Outcome {
  return { status: 'ok', detail }
}

export function warning(detail: string, remedy: string): Outcome {
  return { status: 'warning', detail, remedy }
}

export function failure(detail: string, remedy?: string): Outcome {
  return { status: 'failure', detail, ...(remedy !== undefined && { remedy }) }
}
