/** An audit log: opened, written, closed, in use elsewhere, grown, on a full disk. */
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect } from 'vitest'
import { auditLines } from '../../../../runtime/src/audit/verify/audit-lines.ts'
import { withKeyOfLog } from '../../../../runtime/src/audit/audit-key.ts'
import { auditFolder, logNumbers } from '../../../../runtime/src/audit/files/folder.ts'
import { ownerOfFolder } from '../../../../runtime/src/audit/files/label-file.ts'
import { linesByTime } from '../../../../runtime/src/audit/verify/lines-by-time.ts'
import { verifyAuditLog } from '../../../../runtime/src/audit/verify/verify.ts'
import type { DeploymentLabel } from '../../../../runtime/src/signer/backend.ts'
import {
  allLines,
  auditKey,
  auditLabel,
  bothChains,
  eventsOf,
  findingIn,
  firstTime,
  logFile,
  logFileNames,
  openFilesUnder,
  openTestLog,
  signUse,
  testLogFolder,
  verifyTestLog,
  writeTestLog,
} from '../../../support/audit-fixture.ts'
import { smallDisk } from '../../../support/audit-disk.ts'
import { test } from '../../../support/folder-fixture.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { thrownBy } from '../../../support/thrown.ts'

const isRoot = process.getuid?.() === 0

describe.each(bothChains)('%s', (backend) => {
  test('a use is in the file after its commit, not before', ({ folder }) => {
    const log = openTestLog(folder, { backend })
    log.record(signUse({ path: 'm/0', curve: 'secp256k1' }))
    log.record(signUse({ method: 'signer_decrypt', outcome: 'DECRYPT_FAILED' }))
    expect(eventsOf(folder)).toEqual(['opened'])
    log.commit()
    expect(eventsOf(folder)).toEqual(['opened', 'signer_sign', 'signer_decrypt'])
    log.close()
    const lines = allLines(folder).map((line) => JSON.parse(line) as object)
    expect(lines).toEqual([
      {
        seq: 1,
        time: firstTime,
        event: 'opened',
        deployment: '3510',
        backend,
        hash: expect.any(String) as string,
      },
      expect.objectContaining({ seq: 2, time: firstTime + 1, path: 'm/0', pid: 1234 }),
      expect.objectContaining({ seq: 3, outcome: 'DECRYPT_FAILED' }),
      expect.objectContaining({ seq: 4, event: 'closed' }),
    ])
  })

  test('a use by the host is an event', ({ folder }) => {
    const log = openTestLog(folder, { backend })
    log.recordHost({ purpose: 'handshake', curve: 'p256', count: 3 })
    log.commit()
    log.close()
    expect(eventsOf(folder)).toEqual(['opened', 'hostSigned', 'closed'])
    const [, line] = allLines(folder).map((text) => JSON.parse(text) as object)
    expect(line).toMatchObject({ purpose: 'handshake', curve: 'p256', count: 3 })
    expect(verifyTestLog(folder).finding).toBeUndefined()
  })

  test('the next bridge continues it', ({ folder }) => {
    writeTestLog(folder, 1, { backend })
    writeTestLog(folder, 1, { backend: backend === 'native' ? 'portable' : 'native' })
    const life = ['opened', 'signer_sign', 'closed']
    expect(eventsOf(folder)).toEqual([...life, ...life])
    expect(findingIn(folder)).toBeUndefined()
  })

  test('it grows into segments, up to the limit', ({ folder }) => {
    const limits = { maxSegmentBytes: 2000, maxSegments: 3, backend }
    writeTestLog(folder, 200, limits)
    const names = logFileNames(folder)
    expect(names.length).toBe(4)
    for (const name of names) expect(statSync(logFile(folder, name)).size).toBeLessThan(2000 + 400)
    // The limit applies after a restart, too.
    writeTestLog(folder, 200, limits)
    expect(logFileNames(folder).length).toBe(4)
    expect(findingIn(folder)).toBeUndefined()
    expect(verifyTestLog(folder).last!.seq).toBeGreaterThan(400)
    expect(readdirSync(testLogFolder(folder))).not.toContain('audit.log.new')
  })

  test.skipIf(!isRoot)('a full disk: uses are refused, and none is lost', ({ folder }) => {
    using disk = smallDisk(folder, 64 * 1024)
    const { log: logger, lines } = recordingLog()
    const log = openTestLog(disk.path, { backend, log: logger })
    disk.fill()
    const failures: unknown[] = []
    let recorded = 0
    for (; failures.length < 3; recorded++) {
      log.record(signUse({ input: Buffer.from([recorded]) }))
      try {
        log.commit()
      } catch (error) {
        failures.push(error)
      }
    }
    const full = expect.objectContaining({ name: 'AuditError', code: 'ENOSPC' }) as unknown
    expect(failures).toEqual([full, full, full])
    // A reader finds whole lines meanwhile.
    expect(readFileSync(logFile(disk.path), 'utf8')).toMatch(/\n$/)
    expect(findingIn(disk.path)).toBeUndefined()
    disk.free()
    log.commit()
    log.close()
    const uses = eventsOf(disk.path).filter((event) => event === 'signer_sign')
    expect(uses.length).toBe(recorded)
    expect(findingIn(disk.path)).toBeUndefined()
    expect(lines.map(({ msg }) => msg)).toEqual([
      'audit log: cannot be written',
      'audit log: can be written again',
    ])
  })

  test.skipIf(!isRoot)('lines lost to the memory limit are counted in the log', ({ folder }) => {
    using disk = smallDisk(folder, 4 * 1024 * 1024)
    const log = openTestLog(disk.path, { backend })
    disk.fill()
    const count = 20_000
    for (let index = 0; index < count; index++) log.record(signUse())
    expect(() => log.commit()).toThrow('ENOSPC')
    disk.free()
    log.commit()
    log.close()
    const events = eventsOf(disk.path)
    const written = events.filter((event) => event === 'signer_sign').length
    expect(written).toBeGreaterThan(1000)
    expect(written).toBeLessThan(count)
    const lost = allLines(disk.path).find((line) => line.includes('"event":"lost"'))
    expect(JSON.parse(lost!)).toMatchObject({ lines: count - written })
    expect(findingIn(disk.path)).toBeUndefined()
  })
})

test('when no new file can be started, the log stops before it grows without bound', ({
  folder,
}) => {
  const log = openTestLog(folder, { maxSegmentBytes: 1000 })
  mkdirSync(logFile(folder, 'audit.log.new'))
  const record = () => {
    for (let uses = 0; uses < 5; uses++) log.record(signUse())
    log.commit()
  }
  expect(record).toThrow('audit.log.new')
  expect(record).toThrow('audit.log.new')
  expect(findingIn(folder)).toBeUndefined()
  rmdirSync(logFile(folder, 'audit.log.new'))
  record()
  log.close()
  expect(eventsOf(folder).filter((event) => event === 'signer_sign').length).toBe(15)
  expect(logFileNames(folder).length).toBe(2)
  expect(findingIn(folder)).toBeUndefined()
})

test.for(['audit.log', 'audit.head'])(
  '%s that is exchanged or removed under a bridge stops it within a second',
  async (name, { folder }) => {
    const log = openTestLog(folder)
    const use = () => {
      log.record(signUse())
      log.commit()
    }
    renameSync(logFile(folder, name), logFile(folder, 'elsewhere'))
    await expect
      .poll(() => thrownBy(use), { timeout: 10_000 })
      .toMatchObject({
        name: 'AuditError',
        message: expect.stringContaining(
          `${name} was removed or replaced while the bridge runs: put it back`,
        ) as string,
      })
    renameSync(logFile(folder, 'elsewhere'), logFile(folder, name))
    use()
    log.close()
    expect(findingIn(folder)).toBeUndefined()
  },
)

test('a label that a power failure left empty is written again', ({ folder }) => {
  writeTestLog(folder, 1)
  truncateSync(logFile(folder, 'label.json'), 0)
  expect(ownerOfFolder(testLogFolder(folder))).toBeUndefined()
  writeTestLog(folder, 1)
  expect(ownerOfFolder(testLogFolder(folder))).toEqual({ label: auditLabel, number: 1 })
})

describe('bridges at the same time', () => {
  test('each have a log with its own key', ({ folder }) => {
    const logs = [openTestLog(folder), openTestLog(folder)]
    for (const log of logs) {
      log.record(signUse())
      log.commit()
    }
    for (const log of logs) log.close()
    const folders = [1, 2].map((number) => auditFolder(folder, auditLabel, number))
    expect(logNumbers(folder, auditLabel)).toEqual([1, 2])
    for (const path of folders)
      expect(
        [...auditLines(path)].map((line) => /"(?:event|method)":"(\w+)"/.exec(line)?.[1]),
      ).toEqual(['opened', 'signer_sign', 'closed'])
    // One log in the place of the other does not verify.
    const verify = (path: string, number: number) =>
      withKeyOfLog(Buffer.from(auditKey), number, (key) => verifyAuditLog(path, key)).finding?.what
    expect(folders.map((path, index) => verify(path, index + 1))).toEqual([undefined, undefined])
    expect(folders.map((path, index) => verify(path, 2 - index))).toEqual(
      Array(2).fill('not written by a bridge of this deployment under this root secret'),
    )
  })

  test('a bridge continues the first free log', ({ folder }) => {
    const first = openTestLog(folder)
    openTestLog(folder).close()
    first.close()
    openTestLog(folder).close()
    expect([...auditLines(auditFolder(folder, auditLabel))].length).toBe(4)
    expect([...auditLines(auditFolder(folder, auditLabel, 2))].length).toBe(2)
  })

  test('are shown as one log, by time', ({ folder }) => {
    let time = 0
    const now = () => ++time
    const logs = [openTestLog(folder, { now }), openTestLog(folder, { now })]
    for (const index of [0, 1, 1, 0, 0, 1]) {
      logs[index]!.record(signUse())
      logs[index]!.commit()
    }
    for (const log of logs) log.close()
    const folders = [1, 2, 3].map((number) => auditFolder(folder, auditLabel, number))
    const timesOf = (count?: number) =>
      [...linesByTime(folders, count)].map((line) => (JSON.parse(line) as { time: number }).time)
    expect(timesOf()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(timesOf(3)).toEqual([8, 9, 10])
  })

  test('are limited in number', async ({ folder }) => {
    const logs = Array.from({ length: 16 }, () => openTestLog(folder))
    expect(await thrownBy(() => openTestLog(folder))).toMatchObject({
      name: 'StartError',
      kind: 'DEPLOYMENT_BUSY',
      message:
        'deployment "3510": expected fewer than 16 bridges of it with this state folder, found 16; stop one, or start this one with another folder (--state)',
    })
    logs[7]!.close()
    openTestLog(folder).close()
    for (const log of logs.toSpliced(7, 1)) log.close()
  })

  test('other deployments have their own logs', ({ folder }) => {
    const labels: DeploymentLabel[] = [
      auditLabel,
      { ...auditLabel, id: '3511' },
      { ...auditLabel, originKind: 'substrate' },
      { ...auditLabel, source: Buffer.alloc(32, 2) },
      { ...auditLabel, id: '../../etc/passwd' },
    ]
    const logs = labels.map((label) => openTestLog(folder, { label }))
    const names = readdirSync(folder)
    expect(names.length).toBe(labels.length)
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/)
    for (const log of logs) log.close()
  })

  test('other users cannot read it', ({ folder }) => {
    writeTestLog(folder, 1)
    const mode = (path: string) => statSync(path).mode & 0o777
    expect(mode(testLogFolder(folder))).toBe(0o700)
    for (const name of readdirSync(testLogFolder(folder)))
      expect(mode(logFile(folder, name)), name).toBe(0o600)
  })
})

test('an error names the log that cannot be opened', async ({ folder }) => {
  writeFileSync(`${folder}/file`, '')
  const error = await thrownBy(() => openTestLog(`${folder}/file`))
  expect(error).toMatchObject({ kind: 'STATE_UNREACHABLE' })
  expect((error as Error).message).toMatch(/^audit log .*\/file\/[0-9a-f]{32}: ENOTDIR/)
})

test('a closed log leaves no descriptor open', async ({ folder }) => {
  const log = openTestLog(folder)
  expect(openFilesUnder(folder)).toBe(3)
  log.close()
  for (let life = 0; life < 5; life++) writeTestLog(folder, 50, { maxSegmentBytes: 1000 })
  await expect.poll(() => openFilesUnder(folder)).toBe(0)
})
