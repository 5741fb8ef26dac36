/** Formatted lines for people. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { auditLines } from '../../../../runtime/src/audit/verify/audit-lines.ts'
import { describeLine } from '../../../../runtime/src/audit/verify/describe-line.ts'
import {
  allLines,
  logFile,
  logFileNames,
  testLogFolder,
  writeTestLog,
} from '../../../support/audit-fixture.ts'
import { test } from '../../../support/folder-fixture.ts'

describe('a line', () => {
  const time = 1763652947123
  const at = '2025-11-20T15:35:47.123Z'
  it.each([
    [
      {
        seq: 17,
        time,
        method: 'signer_sign',
        curve: 'secp256k1',
        path: 'm/0/1',
        sha256: 'ab'.repeat(32),
        pid: 9,
        hash: 'x',
      },
      `17  ${at}  signer_sign(secp256k1, m/0/1)  sha256 abababababababab…  pid 9`,
    ],
    [
      { seq: 1, time, method: 'signer_decrypt', curve: 'p256', pid: 9, outcome: 'DECRYPT_FAILED' },
      `1  ${at}  signer_decrypt(p256)  pid 9  DECRYPT_FAILED`,
    ],
    [{ seq: 2, time, event: 'closed', hash: 'x' }, `2  ${at}  closed`],
    [
      { seq: 3, time, event: 'recovered', droppedBytes: 3, hash: 'x' },
      `3  ${at}  recovered  {"droppedBytes":3}`,
    ],
    [{ seq: {}, time: 'never', event: 'e' }, '{}  never  e'],
    [{}, 'null  null  null()  pid null'],
  ])('%j', (line, text) => {
    expect(describeLine(JSON.stringify(line))).toBe(text)
  })

  it.each(['hello', '', 'null', '1', '[1]', '{"seq":'])(
    'is shown unchanged when it is invalid: %j',
    (line) => {
      expect(describeLine(line)).toMatch(/^(\? |null {2}null)/)
      expect(describeLine(line)).not.toContain('undefined')
    },
  )
})

describe('lines', () => {
  test('all, or the last ones, from all files', ({ folder }) => {
    writeTestLog(folder, 30, { maxSegmentBytes: 1000 })
    const all = allLines(folder)
    expect(logFileNames(folder).length).toBeGreaterThan(3)
    const read = (count?: number) => [...auditLines(testLogFolder(folder), count)]
    expect(read()).toEqual(all)
    for (const count of [1, 2, 7, all.length - 1, all.length, all.length + 1])
      expect(read(count), String(count)).toEqual(all.slice(-count))
    // Half a line is not shown: a writer may complete it in a moment.
    writeFileSync(logFile(folder), '{"seq":', { flag: 'a' })
    expect(read(1)).toEqual(all.slice(-1))
  })

  test('only the last lines of a long file are kept in memory, in order', ({ folder }) => {
    writeTestLog(folder, 3000)
    const all = allLines(folder)
    expect([...auditLines(testLogFolder(folder), 5)]).toEqual(all.slice(-5))
  })

  test('none when there is no log', ({ folder }) => {
    expect([...auditLines(`${folder}/none`)]).toEqual([])
    expect([...auditLines(`${folder}/none`, 3)]).toEqual([])
  })
})
