/** What `causeway doctor` checks, and what a check reports. @module */
import type { Config } from '../config/config.ts'
import type { StateFolders } from '../state/state-folders.ts'

/** `warning`: jobs run, but slower or less protected than they could be. */
export type Status = 'ok' | 'warning' | 'failure'

export interface Finding {
  name: string
  status: Status
  detail: string
  /** What to do about it. */
  remedy?: string
}

/** What the checks look at. */
export interface CheckedHost {
  config: Config
  /** Opens the state folder. @throws StartError */
  openState(): StateFolders
  /** File with the passphrase of the root secret. */
  passphraseFile?: string
}

/**
 * A check looks at one thing and changes nothing. A check that throws reports a failure, with the
 * error's `remedy` if it has one.
 */
export interface Check {
  name: string
  look: (host: CheckedHost) => Promise<Outcome> | Outcome
}

export type Outcome = Omit<Finding, 'name'>

export function ok(detail: string): Outcome {
  return { status: 'ok', detail }
}

export function warning(detail: string, remedy: string): Outcome {
  return { status: 'warning', detail, remedy }
}

/** A warning of what is missing, each with the remedy that its check knows; ok for nothing. */
export function lacking(
  detail: string,
  missing: readonly { text: string; remedy: string }[],
): Outcome {
  if (missing.length === 0) return ok(detail)
  const remedies = new Set(missing.map(({ remedy }) => remedy))
  return warning([detail, ...missing.map(({ text }) => text)].join('; '), [...remedies].join('; '))
}

export function failure(detail: string, remedy?: string): Outcome {
  return { status: 'failure', detail, ...(remedy !== undefined && { remedy }) }
}
