/**
 * Brings lines to the disk once a second, beside the calls: what a killed daemon has written is
 * safe in the kernel, and only a power failure takes it from there.
 * @module
 */
import { close, closeSync, fdatasync, fdatasyncSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Logger } from '@causeway/service/log'
import type { LogFiles } from './log-files.ts'

export interface Sync {
  /** Says that there is something new. */
  touch(): void
  /** Brings a file to the disk that is not written any more, and closes it. */
  retire(fd: number): void
  /** Brings both files to the disk and closes them. */
  close(): void
}

const intervalMs = 1000
const syncFile = promisify(fdatasync)
const closeFile = promisify(close)

/** @param files descriptors to be synced, the log before the head that speaks of it */
export function createSync(files: Readonly<LogFiles>, log: Logger): Sync {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const enqueue = (task: () => Promise<void>) => {
    running = running.then(task).catch((error: unknown) => tell(log, error))
  }
  const syncBoth = async () => {
    await syncFile(files.log)
    await syncFile(files.head)
  }
  return {
    touch() {
      timer ??= setTimeout(() => {
        timer = undefined
        enqueue(syncBoth)
      }, intervalMs).unref()
    },
    retire: (fd) =>
      enqueue(async () => {
        await syncFile(fd)
        await closeFile(fd)
      }),
    close() {
      clearTimeout(timer)
      const { log: logFd, head } = files
      try {
        fdatasyncSync(logFd)
        fdatasyncSync(head)
      } catch (error) {
        tell(log, error)
      }
      // Not before a sync that is under way is through with them.
      enqueue(async () => [logFd, head].forEach((fd) => closeSync(fd)))
    },
  }
}

function tell(log: Logger, error: unknown): void {
  log.error(
    { err: error },
    'audit log: the disk does not take it; a power failure would lose lines',
  )
}
