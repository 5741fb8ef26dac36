/**
 * The end of an execution: in the record, then in the log and for whoever listens, then its folder.
 * @module
 */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '@causeway/images'
import { describeExit, type JobExit } from '../../execution/contract/exit.ts'
import type { ExecutionParts } from './execution-parts.ts'
import { endExecution } from '../record/record-changes.ts'

/** Resolves once it is told; no crash takes it back then. */
export async function recordEnd(
  { keeper, output, feed }: Pick<ExecutionParts, 'keeper' | 'output' | 'feed'>,
  number: number,
  exit: JobExit,
): Promise<void> {
  await keeper.change(endExecution(exit, Date.now()))
  const source = { execution: number, attempt: 0 }
  await output.tell(`execution ${number} ended: ${describeExit(exit)}`, source)
  feed.emit({ type: 'execution-ended', execution: number, exit })
}

/**
 * Removes the folder of an execution whose end is not in the record yet. Under another name first:
 * should this process die, half a root must not be gone on with.
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

/** Removes an execution's folder; what can't be removed now goes at the daemon's next start. */
export async function discardExecution(
  { executions, log }: Pick<ExecutionParts, 'executions' | 'log'>,
  number: number,
): Promise<void> {
  const folder = join(executions, String(number))
  await removeTree(folder).catch((error: unknown) => {
    log.error({ err: error, folder }, 'the folder of an execution could not be removed')
  })
}
