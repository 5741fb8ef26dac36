/**
 * Audit logs for tests, and the tools of an attacker who changes one.
 * @module
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import {
  openAuditLog,
  type AuditLog,
  type AuditLogOptions,
  type KeyUse,
} from '../../runtime/src/audit/audit-log.ts'
import { auditFolder } from '../../runtime/src/audit/files/folder.ts'
import { verifyAuditLog, type AuditReport } from '../../runtime/src/audit/verify/verify.ts'

export const auditKey = Buffer.alloc(32, 0x5a)
export const auditLabel = { originKind: 'Substrate', source: Buffer.alloc(32, 1), id: '3510' }
export const bothChains = ['native', 'portable'] as const

/** First value of the clock of logs in tests; each line is 1 ms later. */
export const firstTime = 1763652947000

/** Opens the log of the fixture's deployment under `folder`. */
export function openTestLog(folder: string, changes: Partial<AuditLogOptions> = {}): AuditLog {
  let time = firstTime
  return openAuditLog({
    folder,
    label: auditLabel,
    key: auditKey,
    facts: { deployment: auditLabel.id },
    backend: 'native',
    maxSegmentBytes: 64 * 1024 * 1024,
    maxSegments: 16,
    log: pino({ level: 'silent' }),
    now: () => time++,
    ...changes,
  })
}

export function signUse(changes: Partial<KeyUse> = {}): KeyUse {
  return {
    method: 'signer_sign',
    curve: 'p256',
    input: Buffer.alloc(32, 7),
    pid: 1234,
    ...changes,
  }
}

/** Writes a complete log: opens it, commits `uses` uses one by one, closes it. */
export function writeTestLog(
  folder: string,
  uses: number,
  changes: Partial<AuditLogOptions> = {},
): void {
  const log = openTestLog(folder, changes)
  for (let index = 0; index < uses; index++) {
    log.record(signUse({ input: Buffer.from([index]) }))
    log.commit()
  }
  log.close()
}

/** Folder of the fixture's log. */
export function testLogFolder(folder: string): string {
  return auditFolder(folder, auditLabel)
}

export function logFile(folder: string, name = 'audit.log'): string {
  return join(testLogFolder(folder), name)
}

/** Segments, oldest first, and the current file. */
export function logFileNames(folder: string): string[] {
  const names = readdirSync(testLogFolder(folder)).filter((name) => name.endsWith('.log'))
  return names.sort((a, b) => (a === 'audit.log' ? 1 : b === 'audit.log' ? -1 : a < b ? -1 : 1))
}

/** All lines of all files, without newlines. */
export function allLines(folder: string): string[] {
  const texts = logFileNames(folder).map((name) => readFileSync(logFile(folder, name), 'utf8'))
  return texts.flatMap((text) => text.split('\n')).filter((line) => line !== '')
}

/** The event or method of every line, `?` for a line with neither. */
export function eventsOf(folder: string): string[] {
  return allLines(folder).map((line) => /"(?:event|method)":"(\w+)"/.exec(line)?.[1] ?? '?')
}

/** Replaces the lines of a file. */
export function changeLines(
  folder: string,
  change: (lines: string[]) => string[],
  name = 'audit.log',
): void {
  const file = logFile(folder, name)
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  writeFileSync(
    file,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  )
}

/** Computes numbers and hashes again, as an attacker without the key can do. */
export function hashAnew(lines: readonly string[]): string[] {
  let previous = Buffer.alloc(32)
  return lines.map((line, index) => {
    const body = line
      .slice(0, line.lastIndexOf(',"hash":"'))
      .replace(/^\{"seq":\d+/, `{"seq":${index + 1}`)
    previous = createHash('sha256').update(previous).update(body).digest()
    return `${body},"hash":"${previous.toString('hex')}"}`
  })
}

export function verifyTestLog(folder: string, key: Uint8Array | undefined = auditKey): AuditReport {
  return verifyAuditLog(testLogFolder(folder), key)
}

/** `file:line: what`, with only the file's name; undefined when the log is intact. */
export function findingIn(folder: string, key?: Uint8Array): string | undefined {
  const { finding } = verifyTestLog(folder, key)
  if (!finding) return undefined
  return `${finding.file.slice(testLogFolder(folder).length + 1)}:${finding.line}: ${finding.what}`
}

/** Number of this process's descriptors for files under a folder. */
export function openFilesUnder(folder: string): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      // The descriptor that listed the folder is closed by now.
      return ''
    }
  })
  return links.filter((link) => link.startsWith(`${folder}/`)).length
}
