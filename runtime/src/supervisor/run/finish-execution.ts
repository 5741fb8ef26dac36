/**
 * Finishes an execution: updates the record, then log and listeners, then removes its folder.
 * @module
 */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '@causeway/images'
import { saysMayPass } from '../../errors/operator-cause.ts'
import { describeExit, type JobExit } from '../../execution/contract/exit.ts'
import type { ExecutionParts } from './execution-parts.ts'
import { endExecution } from '../record/record-changes.ts'

/** Resolves once the end is recorded and reported; a crash cannot revert it then. */
export async function recordEnd(
  { keeper, output, feed, log }: Pick<ExecutionParts, 'keeper' | 'output' | 'feed' | 'log'>,
  number: number,
  exit: JobExit,
): Promise<void> {
  await keeper.change(endExecution(exit, Date.now()))
  // An execution that could not start and is not tried again has said so when it failed.
  if (exit.reason !== 'start-failed' || saysMayPass(exit.detail)) {
    const line = { deployment: keeper.latest.id, execution: number, reason: describeExit(exit) }
    log.info(line, 'job ended')
  }
  const source = { execution: number, attempt: 0 }
  await output.tell(`execution ${number} ended: ${describeExit(exit)}`, source)
  feed.emit({ type: 'execution-ended', execution: number, exit })
}

/**
 * Removes the folder of an execution whose end is not recorded yet. Renames it first: after a crash
 * of this process, an execution must not continue in half a root.
 */
export async function dropExecutionFiles(
  { executions, log }: Pick<ExecutionParts, 'executions' | 'log'>,
  number: number,
): Promise<void> {
  const folder = join(executions, String(number))
  const gone = `${folder}.gone`
  try {
    await rename(folder, gone)
    await removeTree(gone)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.error({ err: error, folder }, 'the folder of an execution could not be removed')
  }
}

/** Removes an execution's folder; after a failure, the daemon's next start removes it. */
export async function discardExecution(
  { executions, log }: Pick<ExecutionParts, 'executions' | 'log'>,
  number: number,
): Promise<void> {
  const folder = join(executions, String(number))
  await removeTree(folder).catch((error: unknown) => {
    log.error({ err: error, folder }, 'the folder of an execution could not be removed')
  })
}
