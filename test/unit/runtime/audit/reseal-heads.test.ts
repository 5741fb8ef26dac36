/** Audit logs during a rotation of the root secret, which may be interrupted anywhere. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { withAuditKey } from '../../../../runtime/src/audit/audit-key.ts'
import { resealAuditHeads } from '../../../../runtime/src/audit/reseal-heads.ts'
import { portableBackend } from '../../../../runtime/src/signer/portable/backend.ts'
import type { RootKeys } from '../../../../runtime/src/signer/backend.ts'
import {
  auditLabel,
  changeLines,
  eventsOf,
  findingIn,
  logFile,
  testLogFolder,
  verifyTestLog,
  writeTestLog,
} from '../../../support/audit-fixture.ts'
import { test } from '../../../support/folder-fixture.ts'

const oldRoot = portableBackend.openRoot(new Uint8Array(32).fill(1))
const nextRoot = portableBackend.openRoot(new Uint8Array(32).fill(2))

const keyUnder = (root: RootKeys) => withAuditKey(root, auditLabel, 1, (key) => Buffer.from(key))
const writeUnder = (root: RootKeys, folder: string) =>
  writeTestLog(folder, 2, { key: keyUnder(root) })
const findingUnder = (root: RootKeys, folder: string) => findingIn(folder, keyUnder(root))

function run(steps: Iterable<string>): string[] {
  return [...steps]
}

describe('rotation', () => {
  test('the log verifies under the new root secret, and continues', ({ folder }) => {
    writeUnder(oldRoot, folder)
    const part = resealAuditHeads(folder)
    run(part.settle(oldRoot))
    expect(run(part.prepare(oldRoot, nextRoot)).length).toBe(1)
    run(part.settle(nextRoot, oldRoot))
    expect(findingUnder(nextRoot, folder)).toBeUndefined()
    expect(findingUnder(oldRoot, folder)).toContain('not written by a bridge')
    writeUnder(nextRoot, folder)
    expect(findingUnder(nextRoot, folder)).toBeUndefined()
    expect(eventsOf(folder)).not.toContain('inconsistent')
  })

  test('interrupted before the new root secret is in force', ({ folder }) => {
    writeUnder(oldRoot, folder)
    run(resealAuditHeads(folder).prepare(oldRoot, nextRoot))
    expect(findingUnder(oldRoot, folder)).toBeUndefined()
    writeUnder(oldRoot, folder)
    expect(findingUnder(oldRoot, folder)).toBeUndefined()
    // The prepared head is obsolete, and must not replace a later head.
    expect(existsSync(logFile(folder, 'audit.head.next'))).toBe(false)
  })

  test('interrupted afterwards', ({ folder }) => {
    writeUnder(oldRoot, folder)
    run(resealAuditHeads(folder).prepare(oldRoot, nextRoot))
    expect(findingUnder(nextRoot, folder)).toBeUndefined()
    const copy = `${folder}/copy`
    cpSync(testLogFolder(folder), testLogFolder(copy), { recursive: true })
    // The next rotation or the next bridge repairs it, whichever comes first.
    run(resealAuditHeads(copy).settle(nextRoot))
    expect(findingUnder(nextRoot, copy)).toBeUndefined()
    expect(existsSync(logFile(copy, 'audit.head.next'))).toBe(false)
    writeUnder(nextRoot, folder)
    expect(findingUnder(nextRoot, folder)).toBeUndefined()
    expect(eventsOf(folder)).not.toContain('inconsistent')
  })

  test('a log that fails verification still fails', ({ folder }) => {
    writeUnder(oldRoot, folder)
    changeLines(folder, (lines) => lines.slice(0, 2))
    const head = readFileSync(logFile(folder, 'audit.head'))
    writeFileSync(logFile(folder, 'audit.head'), head.toString().replace('"seq":4', '"seq":2'))
    const part = resealAuditHeads(folder)
    expect(run(part.prepare(oldRoot, nextRoot))).toEqual([])
    run(part.settle(nextRoot, oldRoot))
    expect(findingUnder(nextRoot, folder)).toContain('not written by a bridge')
  })

  test('a label of another folder is ignored', ({ folder }) => {
    writeUnder(oldRoot, folder)
    const file = logFile(folder, 'label.json')
    const texts = [readFileSync(file, 'utf8').replace('3510', '3511'), '{}', 'null', 'x', '']
    for (const text of texts) {
      writeFileSync(file, text)
      expect(run(resealAuditHeads(folder).prepare(oldRoot, nextRoot)), text).toEqual([])
    }
    rmSync(file)
    writeUnder(oldRoot, folder)
    expect(run(resealAuditHeads(folder).prepare(oldRoot, nextRoot)).length).toBe(1)
  })

  test('no logs at all', ({ folder }) => {
    const part = resealAuditHeads(`${folder}/audit`)
    expect(run(part.prepare(oldRoot, nextRoot))).toEqual([])
    expect(run(part.settle(nextRoot, oldRoot))).toEqual([])
    expect(verifyTestLog(folder).lines).toBe(0)
  })
})
