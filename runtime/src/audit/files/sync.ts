/**
 * Syncs lines to the disk once a second, in the background. The kernel keeps what a killed daemon
 * has written; only a power failure can lose it.
 * @module
 */
import { close, closeSync, fdatasync, fdatasyncSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Logger } from '@causeway/service/log'
import type { LogFiles } from './log-files.ts'

export interface Sync {
  /** Schedules a sync of new lines. */
  touch(): void
  /** Syncs and closes a file that is no longer written. */
  retire(fd: number): void
  /** Syncs and closes both files. */
  close(): void
}

const intervalMs = 1000
const syncFile = promisify(fdatasync)
const closeFile = promisify(close)

/** @param files descriptors; the log is synced before the head, which covers its lines */
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
      // Closes only after a running sync, which uses the descriptors.
      enqueue(async () => [logFd, head].forEach((fd) => closeSync(fd)))
    },
  }
}

function tell(log: Logger, error: unknown): void {
  log.error(
    { err: error },
    'audit log: cannot be synced to the disk; a power failure would lose lines',
  )
}
