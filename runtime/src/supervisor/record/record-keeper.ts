/**
 * A deployment's record in memory and on disk. What is not on disk yet is shown to nobody: a crash
 * would take it back.
 * @module
 */
import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@causeway/service/log'
import type { DeploymentRecord } from './record.ts'
import type { RecordChange } from './record-changes.ts'
import { isFull, type RecordReserve } from './record-reserve.ts'
import { replaceFile } from './replace-file.ts'

export interface RecordKeeper {
  /** With every change. */
  readonly latest: DeploymentRecord
  /** As it is on disk. */
  readonly saved: DeploymentRecord
  /**
   * Resolves once the change is on disk; a disk that does not take it is tried again and again, until
   * `stopRetrying` or `close`: after them it resolves all the same.
   */
  change(change: RecordChange): Promise<void>
  /** Something that can go, and goes when a full disk does not take the record; the last one counts. */
  offerSpace(free: FreeSpace): void
  /** Resolves, with why, the next time that the disk does not take the record. */
  refused(signal: AbortSignal): Promise<Error>
  /** From now on a change is tried once: a full disk must not keep its deployment from ending. */
  stopRetrying(): void
  /** From now on a change is none: the file may be another keeper's, or gone. */
  close(): Promise<void>
}

/** Resolves when there is room, or none to be had; never rejects. */
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
    // In the same turn as the last look: the next change must begin anew.
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

/** The first of several in a row is said in the log. */
function tellRefusals({ record, log }: KeeperOptions) {
  const news = new EventEmitter().setMaxListeners(0)
  let last: Error | undefined
  return {
    take(refusal: Error | undefined) {
      if (refusal && !last)
        log.error({ err: refusal, deployment: record.id }, 'the disk does not take the record')
      last = refusal
      if (refusal) news.emit('refused', refusal)
    },
    async next(signal: AbortSignal) {
      const [refusal] = (await once(news, 'refused', { signal })) as [Error]
      return refusal
    },
  }
}

/** @returns why the disk does not take it */
async function trySave(
  { path, reserve }: KeeperOptions,
  record: DeploymentRecord,
  freeSpace: FreeSpace | undefined,
): Promise<Error | undefined> {
  const write = () => writeRecord(path, record)
  try {
    await reserve.write(freeSpace ? () => writeFreeing(write, freeSpace) : write)
  } catch (error) {
    // Its folder is gone: the deployment was removed meanwhile.
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
