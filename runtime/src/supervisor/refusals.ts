/** Says in the daemon's log which of an operator's commands was refused, and why. @module */
import type { Logger } from '@causeway/service/log'
import { failureText } from './run/failure-text.ts'

/** What a command is about. */
export interface Command {
  /** As `stop`. */
  command: string
  /** Its id, or as the operator named it; absent until it is known. */
  deployment?: string
  /** Deployment file. */
  file?: string
}

/** Carries a command out; when it fails, logs what it was by then. */
export async function orTellRefusal<T>(
  log: Logger,
  command: Command,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    log.info({ ...command, reason: failureText(error) }, 'command refused')
    throw error
  }
}
