/** How a log continues after a kill at any moment, and after somebody changed its files. */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect } from 'vitest'
import { formatHead } from '../../../../runtime/src/audit/head.ts'
import { noHash } from '../../../../runtime/src/audit/line.ts'
import {
  allLines,
  auditKey,
  changeLines,
  eventsOf,
  findingIn,
  hashAnew,
  logFile,
  logFileNames,
  openTestLog,
  signUse,
  testLogFolder,
  verifyTestLog,
  writeTestLog,
} from '../../../support/audit-fixture.ts'
import { test } from '../../../support/folder-fixture.ts'
import { recordingLog } from '../../../support/recording-log.ts'

/** The last event with this name. */
function eventIn(folder: string, name: string): Record<string, unknown> | undefined {
  const line = allLines(folder).findLast((text) => text.includes(`"event":"${name}"`))
  return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>)
}

/** Leaves files as a kill within a commit does: `bytes` of it written, and the old head. */
function killInCommit(folder: string, uses: number) {
  writeTestLog(folder, 1)
  const before = readFileSync(logFile(folder)).length
  const head = readFileSync(logFile(folder, 'audit.head'))
  const log = openTestLog(folder)
  for (let index = 0; index < uses; index++) log.record(signUse())
  log.commit()
  const whole = readFileSync(logFile(folder))
  log.close()
  const leave = (bytes: number) => {
    writeFileSync(logFile(folder), whole.subarray(0, before + bytes))
    writeFileSync(logFile(folder, 'audit.head'), head)
  }
  return { leave, bytes: whole.length - before, whole, before }
}

describe('killed', () => {
  test('at every byte of a commit: no answered use is lost', ({ folder }) => {
    const { leave, bytes, whole, before } = killInCommit(folder, 2)
    for (let written = 0; written <= bytes; written++) {
      leave(written)
      openTestLog(folder).close()
      expect(findingIn(folder), `${written} bytes`).toBeUndefined()
      expect(readFileSync(logFile(folder)).subarray(0, before)).toEqual(whole.subarray(0, before))
      const kept =
        whole
          .subarray(before, before + written)
          .toString()
          .split('\n').length - 1
      const end = whole.subarray(0, before + written).lastIndexOf('\n') + 1
      const expected = { droppedBytes: before + written - end, unconfirmedLines: kept }
      expect(eventsOf(folder).includes('recovered')).toBe(written > 0)
      expect(eventIn(folder, 'recovered') ?? expected, `${written} bytes`).toMatchObject(expected)
    }
  }, 120_000)

  test('before its first line', ({ folder }) => {
    writeTestLog(folder, 0)
    const { length } = readFileSync(logFile(folder, 'audit.head'))
    const life = ['opened', 'closed']
    writeFileSync(logFile(folder, 'audit.head'), '')
    rmSync(logFile(folder))
    writeTestLog(folder, 0)
    expect(eventsOf(folder)).toEqual(life)
    rmSync(logFile(folder, 'audit.head'))
    writeFileSync(logFile(folder), '')
    writeTestLog(folder, 0)
    expect(eventsOf(folder)).toEqual(life)
    expect(readFileSync(logFile(folder, 'audit.head')).length).toBe(length)
    expect(findingIn(folder)).toBeUndefined()
  })

  test('within its first line', ({ folder }) => {
    writeTestLog(folder, 0)
    const line = readFileSync(logFile(folder)).subarray(0, 50)
    writeFileSync(logFile(folder), line)
    const head = formatHead({ seq: 0, oldest: 1, hash: noHash }, auditKey)
    writeFileSync(logFile(folder, 'audit.head'), head)
    expect(findingIn(folder)).toBeUndefined()
    writeTestLog(folder, 0)
    expect(eventsOf(folder)).toEqual(['recovered', 'opened', 'closed'])
    expect(eventIn(folder, 'recovered')).toMatchObject({ droppedBytes: 50, unconfirmedLines: 0 })
    expect(findingIn(folder)).toBeUndefined()
  })

  test('between its first line and the head', ({ folder }) => {
    writeTestLog(folder, 0)
    changeLines(folder, (lines) => lines.slice(0, 1))
    const head = formatHead({ seq: 0, oldest: 1, hash: noHash }, auditKey)
    writeFileSync(logFile(folder, 'audit.head'), head)
    expect(findingIn(folder)).toBeUndefined()
    writeTestLog(folder, 0)
    expect(eventsOf(folder)).toEqual(['opened', 'recovered', 'opened', 'closed'])
    expect(findingIn(folder)).toBeUndefined()
  })

  const small = { maxSegmentBytes: 1500 }

  test('between the two renames of a new file', ({ folder }) => {
    writeTestLog(folder, 3, small)
    renameSync(logFile(folder), logFile(folder, 'audit-000000000001.log'))
    writeFileSync(logFile(folder, 'audit.log.new'), '')
    expect(findingIn(folder)).toBeUndefined()
    writeTestLog(folder, 20, small)
    expect(eventsOf(folder)).not.toContain('inconsistent')
    expect(eventsOf(folder)).not.toContain('recovered')
    expect(findingIn(folder)).toBeUndefined()
  })

  test('before the first line of a new file, and before its head', ({ folder }) => {
    writeTestLog(folder, 3)
    const head = readFileSync(logFile(folder, 'audit.head'))
    renameSync(logFile(folder), logFile(folder, 'audit-000000000001.log'))
    writeFileSync(logFile(folder), '')
    expect(findingIn(folder)).toBeUndefined()
    writeTestLog(folder, 0)
    expect(findingIn(folder)).toBeUndefined()
    expect(eventsOf(folder)).not.toContain('recovered')
    changeLines(folder, (lines) => lines.slice(0, 1))
    writeFileSync(logFile(folder, 'audit.head'), head)
    expect(findingIn(folder)).toBeUndefined()
    writeTestLog(folder, 0)
    expect(eventIn(folder, 'recovered')).toMatchObject({ droppedBytes: 0, unconfirmedLines: 1 })
    expect(findingIn(folder)).toBeUndefined()
  })

  test('with more lines after the head than fit into the first window', ({ folder }) => {
    const { leave, bytes } = killInCommit(folder, 900)
    leave(bytes - 1)
    openTestLog(folder).close()
    expect(eventIn(folder, 'recovered')).toMatchObject({ unconfirmedLines: 900 })
    expect(findingIn(folder)).toBeUndefined()
  })
})

describe('changed by somebody', () => {
  /** Each change leaves a log that does not match its head. */
  const changes: [string, string, (folder: string) => void][] = [
    [
      'the last lines cut off',
      'lines are missing at the end',
      (folder) => changeLines(folder, (lines) => lines.slice(0, 3)),
    ],
    [
      'a line the head covers cut in two',
      'lines are missing at the end',
      (folder) => truncateSync(logFile(folder), readFileSync(logFile(folder)).length - 5),
    ],
    ['no file left', 'lines are missing at the end', (folder) => rmSync(logFile(folder))],
    [
      'an empty file left',
      'lines are missing at the end',
      (folder) => writeFileSync(logFile(folder), ''),
    ],
    [
      'a line changed',
      'a line does not continue the one before it',
      (folder) => changeLines(folder, (lines) => lines.map((l) => l.replace('1234', '4321'))),
    ],
    [
      'a line changed, all rehashed',
      'the line of the head was replaced',
      (folder) =>
        changeLines(folder, (lines) => hashAnew(lines.map((l) => l.replace('1234', '1')))),
    ],
    ['no head', 'the head is missing', (folder) => rmSync(logFile(folder, 'audit.head'))],
    [
      'another head',
      'the head was not written under this host’s root secret',
      (folder) => writeFileSync(logFile(folder, 'audit.head'), '{}'),
    ],
    [
      'a long head',
      'the head was not written under this host’s root secret',
      (folder) => appendFileSync(logFile(folder, 'audit.head'), 'more'.repeat(100)),
    ],
    [
      'a file of something else',
      'a line does not continue the one before it',
      (folder) => writeFileSync(logFile(folder), 'hello\nworld\n'),
    ],
    [
      'a file of zeros',
      'lines are missing at the end',
      (folder) => writeFileSync(logFile(folder), Buffer.alloc(100_000)),
    ],
  ]

  test.for(changes)(
    '%s: the log continues, and still shows the break',
    ([, what, change], { folder }) => {
      writeTestLog(folder, 4)
      change(folder)
      const before = findingIn(folder)
      expect(before).toBeDefined()
      const { log: logger, lines } = recordingLog()
      writeTestLog(folder, 2, { log: logger })
      expect(lines).toEqual([expect.objectContaining({ level: 50, what })])
      expect(eventsOf(folder).slice(-5)).toEqual([
        'inconsistent',
        'opened',
        'signer_sign',
        'signer_sign',
        'closed',
      ])
      const event = eventIn(folder, 'inconsistent')
      expect(event).toMatchObject({ what })
      expect(event!['seq']).toBeGreaterThan(2)
      // The old file is unchanged, and its fault is still found.
      const after = findingIn(folder)
      expect(after).toBeDefined()
      // The next bridge reports nothing new.
      writeTestLog(folder, 1)
      expect(eventsOf(folder).filter((name) => name === 'inconsistent').length).toBe(1)
      expect(findingIn(folder)).toBe(after)
    },
  )

  test('the event names the line of the head and the last matching line', ({ folder }) => {
    writeTestLog(folder, 4)
    const last = JSON.parse(allLines(folder).at(-1)!) as { hash: string }
    changeLines(folder, (lines) => lines.slice(0, 3))
    const third = JSON.parse(allLines(folder)[2]!) as { hash: string }
    writeTestLog(folder, 1)
    expect(logFileNames(folder)).toEqual(['audit-000000000001.log', 'audit.log'])
    expect(eventIn(folder, 'inconsistent')).toMatchObject({
      seq: 7,
      expected: { seq: 6, hash: last.hash },
      found: { seq: 3, hash: third.hash },
    })
    expect(findingIn(folder)).toMatch(
      /^audit\.log:1: the log before this line was inconsistent at 2025-.*: lines are missing at the end \(the head names line 6, the last matching line was 3\)$/,
    )
  })

  test('before every start: every broken file stays', ({ folder }) => {
    for (let times = 0; times < 5; times++) {
      writeTestLog(folder, 1)
      writeFileSync(logFile(folder), 'x\n')
    }
    writeTestLog(folder, 1)
    expect(logFileNames(folder).length).toBe(6)
    expect(findingIn(folder)).toBe('audit-000000000003.log:1: not a line of an audit log')
  })

  test('a fault is found again after a kill while the old file is moved aside', ({ folder }) => {
    writeTestLog(folder, 4)
    changeLines(folder, (lines) => lines.slice(0, 3))
    renameSync(logFile(folder), logFile(folder, 'audit-000000000001.log'))
    writeTestLog(folder, 1)
    expect(eventIn(folder, 'inconsistent')).toMatchObject({ what: 'lines are missing at the end' })
  })

  test('the key of another root secret', ({ folder }) => {
    writeTestLog(folder, 1)
    const other = Buffer.from(auditKey).fill(9)
    writeTestLog(folder, 1, { key: other })
    expect(findingIn(folder, other)).toContain('the head was not written under this host')
    expect(verifyTestLog(folder, other).finding).toMatchObject({ line: 1 })
  })

  test('an older head and log put back together pass, as the docs say', ({ folder }) => {
    writeTestLog(folder, 1)
    const kept = `${folder}/kept`
    cpSync(testLogFolder(folder), kept, { recursive: true })
    writeTestLog(folder, 1)
    for (const name of ['audit.log', 'audit.head'])
      copyFileSync(`${kept}/${name}`, logFile(folder, name))
    expect(findingIn(folder)).toBeUndefined()
  })
})

test('opening a log reads only its end', ({ folder }) => {
  writeTestLog(folder, 2000)
  const file = logFile(folder)
  const bytes = readFileSync(file)
  bytes.fill('x', 0, bytes.length / 2)
  writeFileSync(file, bytes)
  writeTestLog(folder, 1)
  const ends = readFileSync(file, 'utf8').slice(-1000)
  expect(ends).toContain('"event":"opened"')
  expect(ends).not.toContain('inconsistent')
  expect(logFileNames(folder)).toEqual(['audit.log'])
  expect(findingIn(folder)).toBe('audit.log:1: not a line of an audit log')
})
