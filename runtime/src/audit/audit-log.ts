/**
 * The audit log of one deployment: a line for every use of a key is written before the reply.
 * @module
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import type { AuditUse } from '@causeway/native'
import { closeFd, lockFile } from '@causeway/native/process'
import { orUndoNow } from '@causeway/service/failure'
import type { Logger } from '@causeway/service/log'
import type { DeploymentLabel } from '../signer/backend.ts'
import { StartError } from '../errors/start-error.ts'
import { AuditError } from './audit-error.ts'
import type { HostUse } from './key-uses.ts'
import { findChainEnd, type OpeningEvent } from './chain-end.ts'
import { withKeyOfLog } from './audit-key.ts'
import { auditFolder, maxLogs } from './files/folder.ts'
import { keepLabel } from './files/label-file.ts'
import { settleHead } from './next-head.ts'
import {
  openWriter,
  type auditedMethods,
  type LogWriter,
  type WriterOptions,
} from './log-writer.ts'

/** One use of a key, or an attempt. */
export interface KeyUse extends AuditUse {
  method: (typeof auditedMethods)[number]
  curve: SigningCurve
}

export interface AuditLogOptions extends WriterOptions {
  /** Folder of all logs. */
  folder: string
  label: DeploymentLabel
  /** Identity of the deployment, for the line that says that a bridge opened. */
  facts: Readonly<Record<string, unknown>>
}

export interface AuditLog {
  /** Queues the use of a key for the next `commit`; never fails, even when the disk does. */
  record(use: KeyUse): void
  /** Queues a line about uses by the host itself. */
  recordHost(use: HostUse): void
  /** Writes the queued lines; no reply may leave before. @throws AuditError */
  commit(): void
  /** Writes the end, and unlocks the log for another bridge; never throws. */
  close(): void
}

/**
 * Opens the deployment's first log that no other bridge uses, and continues it.
 * @throws StartError DEPLOYMENT_BUSY when all logs are in use, STATE_UNREACHABLE when one cannot be
 *   read or written
 */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  const { folder, label, key } = options
  for (let number = 1; number <= maxLogs; number++) {
    const path = auditFolder(folder, label, number)
    const log = withKeyOfLog(key, number, (own) => tryOpen(path, { ...options, key: own }))
    if (log) return log
  }
  throw new StartError(
    'DEPLOYMENT_BUSY',
    `deployment ${JSON.stringify(label.id)}: expected fewer than ${maxLogs} bridges of it with this state folder, found ${maxLogs}; stop one, or start this one with another folder (--state)`,
  )
}

/** Opens one log; undefined when another bridge uses it. */
function tryOpen(folder: string, options: AuditLogOptions): AuditLog | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const lock = lockFile(join(folder, 'lock'))
    return lock === undefined ? undefined : openLocked(folder, lock, options)
  } catch (cause) {
    throw new StartError('STATE_UNREACHABLE', new AuditError(folder, cause).message, { cause })
  }
}

function openLocked(folder: string, lock: number, options: AuditLogOptions): AuditLog {
  const open = () => {
    keepLabel(folder, options.label)
    settleHead(folder, options.key)
    const writer = startWriter(folder, options)
    return createLog(folder, writer, lock, options.log)
  }
  return orUndoNow(open, () => closeFd(lock))
}

function startWriter(folder: string, options: AuditLogOptions): LogWriter {
  const end = findChainEnd(folder, options.key)
  const writer = openWriter(folder, end, options)
  const begin = () => {
    for (const event of end.events) writer.appendEvent(event)
    writer.appendEvent({ event: 'opened', ...options.facts, backend: options.backend })
    writer.commit()
  }
  orUndoNow(begin, () => writer.close())
  for (const event of end.events) tell(options.log, folder, event)
  return writer
}

function tell(log: Logger, folder: string, { event, ...facts }: OpeningEvent): void {
  if (event === 'inconsistent') log.error({ folder, ...facts }, broken)
  if (event === 'recovered') log.info({ folder, ...facts }, 'audit log: a bridge was killed')
}

const broken = 'audit log: head and lines do not match; it continues in a new file'

function createLog(folder: string, writer: LogWriter, lock: number, log: Logger): AuditLog {
  let isDirty = false
  let lostLines = 0
  let hasFailed = false
  const write = () => {
    writer.commit()
    if (lostLines === 0) return
    // The results of the lost lines were not sent: every commit before them failed.
    writer.appendEvent({ event: 'lost', lines: lostLines })
    lostLines = 0
    writer.commit()
  }
  const commit = () => {
    if (!isDirty) return
    try {
      write()
    } catch (cause) {
      if (!hasFailed) log.error({ err: cause, folder }, 'audit log: cannot be written')
      hasFailed = true
      throw new AuditError(folder, cause)
    }
    if (hasFailed) log.warn({ folder }, 'audit log: can be written again')
    hasFailed = false
    isDirty = false
  }
  return {
    record(use) {
      isDirty = true
      if (!writer.append(use)) lostLines++
    },
    recordHost(use) {
      isDirty = true
      if (!writer.appendEvent({ event: 'hostSigned', ...use })) lostLines++
    },
    commit,
    close() {
      isDirty = true
      writer.appendEvent({ event: 'closed' })
      try {
        commit()
      } catch {
        // `commit` has logged the error, and the bridge must end.
      }
      writer.close()
      closeFd(lock)
    },
  }
}
