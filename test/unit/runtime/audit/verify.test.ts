/** How `verify` finds what somebody with access to the files did to a log. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect } from 'vitest'
import { auditLines } from '../../../../runtime/src/audit/verify/audit-lines.ts'
import { describeLine } from '../../../../runtime/src/audit/verify/describe-line.ts'
import { formatHead } from '../../../../runtime/src/audit/head.ts'
import { hashAfter } from '../../../../runtime/src/audit/line.ts'
import { verifyAuditLog } from '../../../../runtime/src/audit/verify/verify.ts'
import {
  allLines,
  changeLines,
  findingIn,
  firstTime,
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

/** Number of the first line that must exist. */
const oldestInHead = (folder: string) =>
  (JSON.parse(readFileSync(logFile(folder, 'audit.head'), 'latin1')) as { oldest: number }).oldest

const changed = 'its hash does not match its content and the line before: one of them was changed'
const rehashed =
  'the head has another hash for this line: it or an earlier line was changed and rehashed, or the head was replaced'
const missing = (expected: number, found: number) =>
  `expected line ${expected}, found line ${found}: lines are missing, or out of order`
const twice = (expected: number, found: number) =>
  `expected line ${expected}, found line ${found}: a line is repeated, or out of order`
const notWritten = 'audit.head:1: not written by a bridge of this deployment under this root secret'

/** Changes one byte. */
function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = bytes[at]! ^ 1
  writeFileSync(file, bytes)
}

describe('a log that nobody touched', () => {
  test('passes, after one bridge and after several', ({ folder }) => {
    for (const backend of ['native', 'portable', 'native'] as const) {
      writeTestLog(folder, 3, { backend })
      expect(findingIn(folder)).toBeUndefined()
    }
    const report = verifyTestLog(folder)
    expect(report).toMatchObject({ lines: 15, remarks: [] })
    expect(report.first).toMatchObject({ seq: 1, time: firstTime })
    expect(report.last).toMatchObject({ seq: 15 })
  })

  test('passes while it is written', async ({ folder }) => {
    const log = openTestLog(folder)
    expect(verifyTestLog(folder)).toMatchObject({ lines: 1, remarks: [] })
    log.record(signUse())
    expect(verifyTestLog(folder)).toMatchObject({ lines: 1, remarks: [] })
    log.commit()
    expect(verifyTestLog(folder)).toMatchObject({ lines: 2 })
    expect(findingIn(folder)).toBeUndefined()
    // The head is written without another use.
    await expect.poll(() => verifyTestLog(folder).remarks).toEqual([])
    log.close()
  })

  test('with half a line at its end passes with a remark', ({ folder }) => {
    writeTestLog(folder, 2)
    appendFileSync(logFile(folder), '{"seq":5,"ti')
    expect(verifyTestLog(folder)).toMatchObject({
      lines: 4,
      remarks: ['half a line of 12 bytes at the end: a bridge is writing, or was killed'],
    })
    expect(findingIn(folder)).toBeUndefined()
  })

  test('with lines that the head does not cover yet passes with a remark', ({ folder }) => {
    writeTestLog(folder, 1)
    const head = readFileSync(logFile(folder, 'audit.head'))
    writeTestLog(folder, 1)
    writeFileSync(logFile(folder, 'audit.head'), head)
    expect(findingIn(folder)).toBeUndefined()
    expect(verifyTestLog(folder).remarks).toEqual([
      'lines 4 to 6 are not covered by the head yet: a bridge is writing, or was killed',
    ])
  })

  /**
   * A forged line that says that lines before 21 were removed. It is chained, but no head covers
   * it.
   */
  const forgedAfter = (last: string) => {
    const { seq, hash, time } = JSON.parse(last) as { seq: number; hash: string; time: number }
    const body = `{"seq":${seq + 1},"time":${time},"event":"rotated","oldest":21`
    return `${body},"hash":"${hashAfter(hash, Buffer.from(body))}"}`
  }

  test.for([
    {
      where: 'behind the head',
      name: 'audit.log',
      forge: (folder: string) =>
        changeLines(folder, (lines) => [...lines.slice(20), forgedAfter(lines.at(-1)!)]),
    },
    {
      where: 'in a file of its own',
      name: 'audit-000000000021.log',
      forge: (folder: string, name: string) => {
        const line = forgedAfter(allLines(folder).at(-1)!)
        changeLines(folder, (lines) => lines.slice(20))
        renameSync(logFile(folder), logFile(folder, name))
        writeFileSync(logFile(folder), `${line}\n`)
      },
    },
  ])('a forged line $where does not hide missing lines', ({ forge, name }, { folder }) => {
    writeTestLog(folder, 30)
    forge(folder, name)
    const missing = `${name}:1: lines 1 to 20 are missing at the beginning`
    expect(findingIn(folder)).toBe(missing)
    // The next bridge ignores it, too.
    writeTestLog(folder, 1)
    expect(findingIn(folder)).toBe(missing)
  })

  test('without the key it says what it cannot check', ({ folder }) => {
    writeTestLog(folder, 3)
    const withoutKey = () => verifyAuditLog(testLogFolder(folder), undefined)
    const remark = 'the head was not checked: only the root secret shows whether it is authentic'
    expect(withoutKey()).toMatchObject({ lines: 5, remarks: [remark] })
    // Without the key, a cut with a forged head goes undetected.
    changeLines(folder, (lines) => lines.slice(0, 3))
    const { hash } = verifyTestLog(folder).last!
    const head = formatHead({ seq: 3, oldest: 1, hash }, Buffer.alloc(32))
    writeFileSync(logFile(folder, 'audit.head'), head)
    expect(withoutKey().finding).toBeUndefined()
    expect(findingIn(folder)).toBe(notWritten)
    changeLines(folder, (lines) => lines.slice(0, 2))
    expect(withoutKey().finding).toMatchObject({ line: 2 })
  })
})

describe('a log that is not there', () => {
  test('no folder', ({ folder }) => {
    expect(findingIn(folder)).toBe('audit.log:0: there is no audit log')
  })

  test('a log without its head', ({ folder }) => {
    writeTestLog(folder, 1)
    rmSync(logFile(folder, 'audit.head'))
    expect(findingIn(folder)).toBe('audit.head:1: missing: where the log ended is unknown')
  })

  test('a head without its log', ({ folder }) => {
    writeTestLog(folder, 1)
    rmSync(logFile(folder))
    expect(findingIn(folder)).toBe('audit.log:0: lines 1 to 3 are missing at the end')
  })
})

describe('changed bytes', () => {
  test('every flipped byte of a log is found, in its line or the next', ({ folder }) => {
    writeTestLog(folder, 3)
    const file = logFile(folder)
    const whole = readFileSync(file)
    for (let at = 0; at < whole.length; at++) {
      flip(file, at)
      const line = whole.subarray(0, at).toString('latin1').split('\n').length
      const found = Number(/^audit\.log:(\d+): /.exec(findingIn(folder) ?? '')?.[1])
      expect([line, line + 1], `byte ${at}`).toContain(found)
      writeFileSync(file, whole)
    }
    expect(findingIn(folder)).toBeUndefined()
  }, 60_000)

  test('every flipped byte of the head is found', ({ folder }) => {
    writeTestLog(folder, 1)
    const file = logFile(folder, 'audit.head')
    const whole = readFileSync(file)
    for (let at = 0; at < whole.length; at++) {
      flip(file, at)
      expect(findingIn(folder), `byte ${at}`).toBe(notWritten)
      writeFileSync(file, whole)
    }
  })

  test('each member of a line', ({ folder }) => {
    writeTestLog(folder, 2)
    const file = logFile(folder)
    const whole = readFileSync(file, 'utf8')
    const changes: [RegExp, string, string][] = [
      [/"seq":2/, '"seq":9', missing(2, 9)],
      [/"time":\d+(?=,"method)/, '"time":1', changed],
      [/signer_sign/, 'signer_publicKey', changed],
      [/"curve":"p256"/, '"curve":"ed25519"', changed],
      [/"pid":1234/, '"pid":1', changed],
      [/"sha256":"../, '"sha256":"00', changed],
      [/,"pid":1234/, ',"pid":1234,"outcome":"INTERNAL"', changed],
      [/\{"seq":2/, ' {"seq":2', 'not a line of an audit log'],
      [/"method"/, '"other"', 'not a line of an audit log'],
      [/(?<="pid":1234,"hash":")../, '0g', 'not a line of an audit log'],
    ]
    for (const [from, to, what] of changes) {
      writeFileSync(file, whole.replace(from, to))
      expect(findingIn(folder), String(from)).toBe(`audit.log:2: ${what}`)
    }
  })

  test('a rehashed log does not match the head', ({ folder }) => {
    writeTestLog(folder, 3)
    changeLines(folder, (lines) =>
      hashAnew(lines.map((line) => line.replace('"pid":1234', '"pid":4321'))),
    )
    expect(findingIn(folder)).toBe(`audit.log:5: ${rehashed}`)
  })

  test('a log that is renumbered and rehashed after a removed line does not, either', ({
    folder,
  }) => {
    writeTestLog(folder, 3)
    changeLines(folder, (lines) => hashAnew(lines.filter((_line, index) => index !== 2)))
    expect(findingIn(folder)).toBe('audit.log:4: lines 5 to 5 are missing at the end')
  })

  test('a head that is written without the key is not accepted', ({ folder }) => {
    writeTestLog(folder, 3)
    const other = `${folder}/other`
    mkdirSync(other)
    writeTestLog(other, 3, { key: Buffer.alloc(32, 1) })
    copyFileSync(logFile(other), logFile(folder))
    copyFileSync(logFile(other, 'audit.head'), logFile(folder, 'audit.head'))
    expect(findingIn(folder)).toBe(notWritten)
  })

  test('a head that contains a line of the log is not accepted', ({ folder }) => {
    writeTestLog(folder, 3)
    writeFileSync(logFile(folder, 'audit.head'), allLines(folder)[0]!)
    expect(findingIn(folder)).toBe(notWritten)
  })
})

describe('lines that are gone or elsewhere', () => {
  const cases: [string, (lines: string[]) => string[], string][] = [
    [
      'the first',
      (lines) => lines.slice(1),
      'audit.log:1: lines 1 to 1 are missing at the beginning',
    ],
    ['one in the middle', (lines) => lines.toSpliced(2, 1), `audit.log:3: ${missing(3, 4)}`],
    ['the last', (lines) => lines.slice(0, -1), 'audit.log:4: lines 5 to 5 are missing at the end'],
    [
      'the last three',
      (lines) => lines.slice(0, -3),
      'audit.log:2: lines 3 to 5 are missing at the end',
    ],
    ['all', () => [], 'audit.log:0: lines 1 to 5 are missing at the end'],
    ['two exchanged', ([a, b, c, d, e]) => [a!, c!, b!, d!, e!], `audit.log:2: ${missing(2, 3)}`],
    ['one twice', (lines) => lines.toSpliced(1, 0, lines[1]!), `audit.log:3: ${twice(3, 2)}`],
    [
      'an empty one',
      (lines) => lines.toSpliced(3, 0, ''),
      'audit.log:4: not a line of an audit log',
    ],
    ['one of prose', (lines) => [...lines, 'hello'], 'audit.log:6: not a line of an audit log'],
  ]
  test.for(cases)('%s', ([, change, finding], { folder }) => {
    writeTestLog(folder, 3)
    changeLines(folder, change)
    expect(findingIn(folder)).toBe(finding)
  })

  test('cut at every byte', ({ folder }) => {
    writeTestLog(folder, 2)
    const file = logFile(folder)
    const whole = readFileSync(file)
    for (let length = whole.length - 1; length >= 0; length--) {
      truncateSync(file, length)
      const kept = whole.subarray(0, length).toString('latin1').split('\n').length - 1
      const torn = length > 0 && whole[length - 1] !== 0x0a
      expect(findingIn(folder), `${length} bytes`).toBe(
        `audit.log:${kept + (torn ? 1 : 0)}: lines ${kept + 1} to 4 are missing at the end`,
      )
    }
  })
})

describe('segments', () => {
  const small = { maxSegmentBytes: 1000, maxSegments: 100 }

  test('a log of many files is one chain', ({ folder }) => {
    writeTestLog(folder, 30, small)
    expect(logFileNames(folder).length).toBeGreaterThan(5)
    expect(findingIn(folder)).toBeUndefined()
    expect(verifyTestLog(folder).remarks).toEqual([])
  })

  test('segments that the limit removed are a remark', ({ folder }) => {
    writeTestLog(folder, 30, { ...small, maxSegments: 2 })
    expect(logFileNames(folder).length).toBe(3)
    expect(findingIn(folder)).toBeUndefined()
    const { first, remarks } = verifyTestLog(folder)
    expect(remarks).toEqual([
      `older lines, 1 to ${first!.seq - 1}, were removed because of audit.maxSegments`,
    ])
  })

  test('a segment that somebody removed at the beginning is found', ({ folder }) => {
    writeTestLog(folder, 30, small)
    const [first, second] = logFileNames(folder)
    rmSync(logFile(folder, first))
    const next = Number(/\d+/.exec(second!)![0])
    expect(findingIn(folder)).toBe(
      `${second}:1: lines 1 to ${next - 1} are missing at the beginning`,
    )
  })

  test('a removed segment beyond the limit is found', ({ folder }) => {
    writeTestLog(folder, 30, { ...small, maxSegments: 3 })
    const [first, second] = logFileNames(folder)
    rmSync(logFile(folder, first))
    const [from, to] = [first, second].map((name) => Number(/\d+/.exec(name!)![0]))
    expect(findingIn(folder)).toBe(
      `${second}:1: lines ${from} to ${to! - 1} are missing at the beginning`,
    )
  })

  test('a removed segment is reported until the limit would have removed it', ({ folder }) => {
    const limits = { maxSegmentBytes: 1000, maxSegments: 3 }
    writeTestLog(folder, 30, limits)
    const segments = logFileNames(folder).slice(0, -1)
    const from = Number(/\d+/.exec(segments[0]!)![0])
    for (const name of segments) rmSync(logFile(folder, name))
    const findings = Array.from({ length: 12 }, () => {
      writeTestLog(folder, 2, limits)
      return { finding: findingIn(folder), oldest: oldestInHead(folder) }
    })
    const missingOnes = findings.filter(({ finding }) => finding !== undefined)
    expect(missingOnes.length).toBeGreaterThan(2)
    for (const { finding, oldest } of missingOnes) {
      expect(finding).toMatch(new RegExp(`:1: lines ${from} to \\d+ are missing at the beginning$`))
      expect(oldest).toBe(from)
    }
    expect(findings.at(-1)!.finding).toBeUndefined()
    expect(logFileNames(folder).length).toBe(4)
  })

  test('a running bridge ignores segments that it did not write', ({ folder }) => {
    const log = openTestLog(folder, { maxSegmentBytes: 1000 })
    const use = (times: number) => {
      for (let uses = 0; uses < times; uses++) {
        log.record(signUse())
        log.commit()
      }
    }
    use(30)
    for (const name of logFileNames(folder).slice(0, -1)) rmSync(logFile(folder, name))
    truncateSync(logFile(folder), 0)
    use(30)
    log.close()
    expect(findingIn(folder)).toMatch(/:1: lines 1 to \d+ are missing at the beginning$/)
    expect(oldestInHead(folder)).toBe(1)
  })

  const fakes = {
    garbage: () => 'x',
    'a break': (seq: number) =>
      `{"seq":${seq},"time":1,"event":"inconsistent","what":"x","expected":null,"found":null,"hash":"${'0'.repeat(64)}"}\n`,
  }
  test.for(
    Object.entries(fakes).flatMap(([what, content]) =>
      [7, 900_000].map((from) => ({ what, content, from })),
    ),
  )(
    'files of $what from $from on that somebody puts among them push none out',
    ({ content, from }, { folder }) => {
      const log = openTestLog(folder, { maxSegmentBytes: 1000, maxSegments: 4 })
      const put = Array.from({ length: 13 }, (_, index) => from + index)
      const pathOf = (number: number) =>
        logFile(folder, `audit-${String(number).padStart(12, '0')}.log`)
      for (let uses = 0; uses < 30; uses++) {
        if (uses === 5) for (const number of put) writeFileSync(pathOf(number), content(number))
        log.record(signUse())
        log.commit()
      }
      log.close()
      for (const number of put) rmSync(pathOf(number), { force: true })
      expect(logFileNames(folder).length).toBe(5)
      expect(findingIn(folder)).toBeUndefined()
      expect(verifyTestLog(folder).first!.seq).toBe(oldestInHead(folder))
    },
  )

  test('a log that continues after a break keeps its limit', ({ folder }) => {
    const limits = { maxSegmentBytes: 1000, maxSegments: 2 }
    writeTestLog(folder, 20, limits)
    appendFileSync(logFile(folder), 'x\n')
    writeTestLog(folder, 1, limits)
    expect(findingIn(folder)).toBeDefined()
    writeTestLog(folder, 60, limits)
    expect(logFileNames(folder).length).toBe(3)
    expect(findingIn(folder)).toBeUndefined()
  })

  test('a renamed segment does not hide a removed one', ({ folder }) => {
    writeTestLog(folder, 30, { maxSegmentBytes: 1000 })
    const [first, second, third] = logFileNames(folder)
    for (const name of [first, second]) rmSync(logFile(folder, name))
    renameSync(logFile(folder, third), logFile(folder, 'audit-000000000001.log'))
    writeTestLog(folder, 30, { maxSegmentBytes: 1000 })
    expect(findingIn(folder)).toMatch(/:1: lines 1 to \d+ are missing at the beginning$/)
  })

  test('a missing segment in the middle', ({ folder }) => {
    writeTestLog(folder, 30, small)
    const [, second, third] = logFileNames(folder)
    rmSync(logFile(folder, second))
    const [from, to] = [second, third].map((name) => Number(/\d+/.exec(name!)![0]))
    expect(findingIn(folder)).toBe(`${third}:1: ${missing(from!, to!)}`)
  })

  test('the current file', ({ folder }) => {
    writeTestLog(folder, 30, small)
    const names = logFileNames(folder)
    const { seq } = verifyTestLog(folder).last!
    rmSync(logFile(folder))
    const last = allLines(folder).length
    const lastName = names.at(-2)!
    const lines = readFileSync(logFile(folder, lastName), 'utf8').split('\n').length - 1
    expect(findingIn(folder)).toBe(
      `${lastName}:${lines}: lines ${last + 1} to ${seq} are missing at the end`,
    )
  })

  test('two segments with their names exchanged', ({ folder }) => {
    writeTestLog(folder, 30, small)
    const [, second, third] = logFileNames(folder)
    renameSync(logFile(folder, second), logFile(folder, 'x'))
    renameSync(logFile(folder, third), logFile(folder, second))
    renameSync(logFile(folder, 'x'), logFile(folder, third))
    const [from, to] = [second, third].map((name) => Number(/\d+/.exec(name!)![0]))
    expect(findingIn(folder)).toBe(`${second}:1: ${missing(from!, to!)}`)
  })

  test('a line cut off inside an older file', ({ folder }) => {
    writeTestLog(folder, 30, small)
    const [, second] = logFileNames(folder)
    const size = readFileSync(logFile(folder, second)).length
    truncateSync(logFile(folder, second), size - 1)
    const lines = readFileSync(logFile(folder, second), 'utf8').split('\n').length
    expect(findingIn(folder)).toBe(`${second}:${lines}: the line has no end`)
  })
})

test('a head that is too old is not accepted', ({ folder }) => {
  writeTestLog(folder, 1)
  const head = readFileSync(logFile(folder, 'audit.head'))
  const log = openTestLog(folder)
  for (let uses = 0; uses < 1001; uses++) log.record(signUse())
  log.commit()
  log.close()
  expect(findingIn(folder)).toBeUndefined()
  writeFileSync(logFile(folder, 'audit.head'), head)
  expect(findingIn(folder)).toBe('audit.head:1: too old: no head covers lines 4 to 1006')
  writeTestLog(folder, 0)
  expect(findingIn(folder)).toContain('the head is older than the lines')
})

test('lines that a killed bridge left stay a remark', ({ folder }) => {
  writeTestLog(folder, 1)
  const head = readFileSync(logFile(folder, 'audit.head'))
  writeTestLog(folder, 1)
  writeFileSync(logFile(folder, 'audit.head'), head)
  for (let life = 0; life < 3; life++) writeTestLog(folder, 1)
  expect(verifyTestLog(folder).remarks).toEqual([
    '3 lines were left by killed bridges, which no longer wrote a head for them',
  ])
})

test.for([
  { name: 'a fifo', make: (path: string) => execFileSync('mkfifo', [path]) },
  { name: 'a folder', make: (path: string) => mkdirSync(path) },
  { name: 'a link', make: (path: string) => symlinkSync('/dev/zero', path) },
])(
  '$name in the place of the log or the head is an error that names it, without waiting',
  async ({ make }, { folder }) => {
    for (const name of ['audit.log', 'audit.head']) {
      writeTestLog(folder, 1)
      rmSync(logFile(folder, name))
      make(logFile(folder, name))
      const message = new RegExp(`${name}.*(expected a file, found something else|EISDIR)`)
      expect(() => verifyTestLog(folder)).toThrow(message)
      expect(() => openTestLog(folder)).toThrow(message)
      rmSync(testLogFolder(folder), { recursive: true })
    }
  },
)

test('lines that are made to break a reader do not', ({ folder }) => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const bodies = [
    '"event":"inconsistent","what":{"toString":1},"expected":{"seq":{}},"found":[]',
    `"event":"opened","x":${deep}`,
    '"method":{"toString":1},"curve":[],"pid":{}',
  ]
  for (const body of bodies) {
    writeTestLog(folder, 1)
    appendFileSync(logFile(folder), `{"seq":4,"time":5,${body},"hash":"${'0'.repeat(64)}"}\n`)
    expect(findingIn(folder)).toBeDefined()
    for (const line of auditLines(testLogFolder(folder)))
      expect(describeLine(line)).toEqual(expect.any(String))
    rmSync(testLogFolder(folder), { recursive: true })
  }
})

test('an endless line does not fill the memory', ({ folder }) => {
  writeTestLog(folder, 1)
  writeFileSync(logFile(folder), Buffer.alloc(40 * 1024 * 1024, 'x'))
  expect(findingIn(folder)).toBe('audit.log:1: the line has no end')
})

test('other files in the folder do not matter', ({ folder }) => {
  writeTestLog(folder, 1)
  for (const name of ['audit.log.new', 'audit-1.log', 'audit-000000000002.log~', 'notes'])
    writeFileSync(logFile(folder, name), 'x')
  expect(findingIn(folder)).toBeUndefined()
  expect(testLogFolder(folder)).toMatch(/\/[0-9a-f]{32}$/)
})
