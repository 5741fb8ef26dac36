/**
 * Keeps a deployment's record in memory and on disk. Only saved changes are shown: a crash would
 * revert others.
 * @module
 */
import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@causeway/service/log'
import { isFull } from '../../errors/host-fault.ts'
import type { DeploymentRecord } from './record.ts'
import type { RecordChange } from './record-changes.ts'
import type { RecordReserve } from './record-reserve.ts'
import { replaceFile } from './replace-file.ts'

export interface RecordKeeper {
  /** Includes changes that are not saved yet. */
  readonly latest: DeploymentRecord
  /** As it is on disk. */
  readonly saved: DeploymentRecord
  /**
   * Resolves once the change is on disk. A failed write is retried until `stopRetrying` or `close`;
   * after them `change` resolves in any case.
   */
  change(change: RecordChange): Promise<void>
  /** Offers data to delete when a full disk refuses the record; a later offer replaces it. */
  offerSpace(free: FreeSpace): void
  /** Resolves with the error of the next failed write. */
  refused(signal: AbortSignal): Promise<Error>
  /** After this, a change is tried once: a full disk must not keep its deployment from ending. */
  stopRetrying(): void
  /** Makes later changes do nothing: the file may belong to another keeper by then, or be gone. */
  close(): Promise<void>
}

/** Deletes data; resolves even if that fails, never rejects. */
export type FreeSpace = () => Promise<void>

export interface KeeperOptions {
  path: string
  /** As it is on disk. */
  record: DeploymentRecord
  reserve: RecordReserve
  log: Logger
  /** Between two tries of a disk that does not take the record. */
  retryMs?: number
}

export const recordRetryMs = 1000

export function keepRecord(options: KeeperOptions): RecordKeeper {
  const { retryMs = recordRetryMs } = options
  let [latest, saved] = [options.record, options.record]
  let [retries, isClosed] = [true, false]
  let saving: Promise<void> | undefined
  let freeSpace: FreeSpace | undefined
  const refusals = tellRefusals(options)
  const save = async () => {
    while (saved !== latest) {
      const target = latest
      const refusal = await trySave(options, target, freeSpace)
      refusals.take(refusal)
      if (!refusal) saved = target
      else if (!retries) break
      else await pause(retryMs, undefined, { ref: false })
    }
    // Cleared in the tick of the last check, so that the next change starts a new save.
    saving = undefined
  }
  const saveAll = () => (saving ??= Promise.resolve().then(save))
  return {
    get latest() {
      return latest
    },
    get saved() {
      return saved
    },
    async change(change) {
      if (isClosed) return
      latest = change(latest)
      await saveAll()
    },
    offerSpace: (free) => void (freeSpace = free),
    refused: (signal) => refusals.next(signal),
    stopRetrying: () => void (retries = false),
    async close() {
      retries = false
      isClosed = true
      await saving
    },
  }
}

/** Reports failed writes; logs only the first of several in a row. */
function tellRefusals({ record, log }: KeeperOptions) {
  const news = new EventEmitter().setMaxListeners(0)
  let last: Error | undefined
  return {
    take(refusal: Error | undefined) {
      if (refusal && !last)
        log.error({ err: refusal, deployment: record.id }, 'the record cannot be saved')
      last = refusal
      if (refusal) news.emit('refused', refusal)
    },
    async next(signal: AbortSignal) {
      const [refusal] = (await once(news, 'refused', { signal })) as [Error]
      return refusal
    },
  }
}

/** @returns the error, if the record could not be written */
async function trySave(
  { path, reserve }: KeeperOptions,
  record: DeploymentRecord,
  freeSpace: FreeSpace | undefined,
): Promise<Error | undefined> {
  const write = () => writeRecord(path, record)
  try {
    await reserve.write(freeSpace ? () => writeFreeing(write, freeSpace) : write)
  } catch (error) {
    // ENOENT: the deployment and its folder were removed meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error as Error
  }
  return undefined
}

async function writeFreeing(write: () => Promise<void>, freeSpace: FreeSpace): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isFull(error)) throw error
    await freeSpace()
    await write()
  }
}

/** Puts a record on disk. */
export function writeRecord(path: string, record: DeploymentRecord): Promise<void> {
  return replaceFile(path, `${JSON.stringify(record, undefined, 2)}\n`)
}
