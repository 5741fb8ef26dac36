/**
 * A deployment's record in memory and on disk. What is not on disk yet is shown to nobody: a crash
 * would take it back.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { DeploymentRecord } from './record.ts'
import type { RecordChange } from './record-changes.ts'
import { replaceFile } from './replace-file.ts'

export interface RecordKeeper {
  /** With every change. */
  readonly latest: DeploymentRecord
  /** As it is on disk. */
  readonly saved: DeploymentRecord
  /** Resolves once the change is on disk; a disk that does not take it is tried again and again. */
  change(change: RecordChange): Promise<void>
  /** From now on a change is tried once: a full disk must not keep its deployment from ending. */
  hurry(): void
}

const retryMs = 1000

/** Begins with a record as it is on disk. */
export function keepRecord(path: string, record: DeploymentRecord, log: Logger): RecordKeeper {
  let [latest, saved] = [record, record]
  let isHurried = false
  let saving: Promise<void> | undefined
  const save = async () => {
    while (saved !== latest) {
      const target = latest
      if (await trySave(path, target, log)) saved = target
      else if (isHurried) break
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
    change(change) {
      latest = change(latest)
      return saveAll()
    },
    hurry: () => void (isHurried = true),
  }
}

async function trySave(path: string, record: DeploymentRecord, log: Logger): Promise<boolean> {
  try {
    await writeRecord(path, record)
    return true
  } catch (error) {
    // Its folder is gone: the deployment was removed meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    log.error({ err: error, deployment: record.id }, 'the disk does not take the record')
    return false
  }
}

/** Puts a record on disk. */
export function writeRecord(path: string, record: DeploymentRecord): Promise<void> {
  return replaceFile(path, `${JSON.stringify(record, undefined, 2)}\n`)
}
