/**
 * A deployment's log on disk: rotated, followed, torn, and on a disk that is full.
 */
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import type { LogEntry } from '../../../../runtime/src/supervisor/log/log-entry.ts'
import type { LogQuery } from '../../../../runtime/src/supervisor/log/log-reader.ts'
import {
  openDeploymentLog,
  type DeploymentLog,
} from '../../../../runtime/src/supervisor/log/logs.ts'
import { smallDisk } from '../../../support/audit-disk.ts'
import { test } from '../../../support/folder-fixture.ts'
import { recordingLog } from '../../../support/recording-log.ts'

const isRoot = process.getuid?.() === 0
const { log } = recordingLog()
const never = new AbortController().signal
const first = { execution: 1, attempt: 1 }

interface LogLimits {
  maxBytes?: number
  maxFiles?: number
}

const open = (folder: string, limits: LogLimits = {}) =>
  openDeploymentLog({ folder, maxBytes: 1 << 20, maxFiles: 5, ...limits, log, idleMs: 50 })

async function read(output: DeploymentLog, query: LogQuery = {}, signal = never) {
  const entries: LogEntry[] = []
  for await (const lines of output.read(query, signal)) {
    entries.push(...lines.map((line) => JSON.parse(line) as LogEntry))
  }
  return entries
}

const texts = (entries: readonly LogEntry[]) => entries.map(({ text }) => text)
const numbers = (entries: readonly LogEntry[]) => entries.map(({ seq }) => seq)
const files = (folder: string) => readdirSync(folder).sort()

async function tell(output: DeploymentLog, count: number, from = 1) {
  for (let index = 0; index < count; index++) await output.tell(`line ${from + index}`)
}

/** A log that captures a job whose streams the test writes. */
async function capturing(folder: string, limits: LogLimits = {}) {
  const output = await open(folder, limits)
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  return { output, ...streams, captured: output.capture(streams, first) }
}

describe('a job’s output', () => {
  test('is captured by stream, each line with its number', async ({ folder }) => {
    const { output, stdout, stderr, captured } = await capturing(folder)
    stdout.end('one\ntwo\n')
    stderr.end('three')
    await captured
    const entries = await read(output)
    expect(numbers(entries)).toEqual([1, 2, 3])
    expect(entries.filter(({ stream }) => stream === 'stdout')).toMatchObject([
      { ...first, text: 'one' },
      { ...first, text: 'two' },
    ])
    expect(entries.find(({ stream }) => stream === 'stderr')).toMatchObject({
      text: 'three',
      partial: true,
    })
    await output.close()
  })

  test('shows a prompt when the job is silent after it', async ({ folder }) => {
    const { output, stdout, stderr, captured } = await capturing(folder)
    stderr.end()
    stdout.write('name? ')
    const following = output.read({ follow: () => true }, never)
    expect(JSON.parse((await following.next()).value![0]!)).toMatchObject({
      text: 'name? ',
      partial: true,
    })
    stdout.end('x\n')
    await captured
    expect(texts(await read(output))).toEqual(['name? ', 'x'])
    await following.return(undefined)
    await output.close()
  })

  test('is kept when its stream is destroyed', async ({ folder }) => {
    const { output, stdout, stderr, captured } = await capturing(folder)
    stderr.end()
    stdout.write('whole\nhalf')
    await pause(20)
    stdout.destroy()
    await captured
    expect(texts(await read(output))).toEqual(['whole', 'half'])
    await output.close()
  })

  test('waits in its stream when it is faster than the disk', async ({ folder }) => {
    const { output, stdout, stderr, captured } = await capturing(folder, {
      maxBytes: 1 << 16,
      maxFiles: 2,
    })
    stderr.end()
    const line = `${'x'.repeat(99)}\n`
    let refused = 0
    for (let index = 0; index < 20_000; index++) {
      if (stdout.write(line)) continue
      refused++
      await new Promise((resolve) => stdout.once('drain', resolve))
    }
    stdout.end()
    await captured
    expect(refused).toBeGreaterThan(0)
    expect(output.seq).toBe(20_000)
    const sizes = files(folder).map((name) => statSync(join(folder, name)).size)
    expect(sizes).toHaveLength(2)
    for (const size of sizes) expect(size).toBeLessThanOrEqual(1 << 16)
    expect(numbers(await read(output)).at(-1)).toBe(20_000)
    await output.close()
  })
})

describe('reading', () => {
  test('by number, by count from the end, by stream', async ({ folder }) => {
    const output = await open(folder, { maxBytes: 300, maxFiles: 100 })
    await tell(output, 10)
    expect(files(folder).length).toBeGreaterThan(3)
    expect(numbers(await read(output, { since: 7 }))).toEqual([8, 9, 10])
    expect(numbers(await read(output, { since: 10 }))).toEqual([])
    expect(numbers(await read(output, { since: 99 }))).toEqual([])
    expect(numbers(await read(output, { tail: 2 }))).toEqual([9, 10])
    expect(numbers(await read(output, { tail: 7 }))).toEqual([4, 5, 6, 7, 8, 9, 10])
    expect(numbers(await read(output, { tail: 0 }))).toEqual([])
    expect(numbers(await read(output, { tail: 50 }))).toHaveLength(10)
    expect(numbers(await read(output, { tail: 5, since: 8 }))).toEqual([9, 10])
    expect(await read(output, { streams: new Set(['stdout']) })).toEqual([])
    expect(await read(output, { tail: 3, streams: new Set(['host']) })).toHaveLength(3)
    await output.close()
  })

  test('shows a gap for rotated entries', async ({ folder }) => {
    const output = await open(folder, { maxBytes: 300, maxFiles: 2 })
    await tell(output, 20)
    expect(files(folder)).toHaveLength(2)
    const kept = numbers(await read(output))
    expect(kept.at(-1)).toBe(20)
    expect(kept[0]).toBeGreaterThan(10)
    expect(kept).toEqual(kept.map((_, index) => kept[0]! + index))
    expect(numbers(await read(output, { since: 1 }))).toEqual(kept)
    await output.close()
  })

  test('a log of one file finds the newest entries', async ({ folder }) => {
    const output = await open(folder, { maxBytes: 300, maxFiles: 1 })
    await tell(output, 20)
    expect(files(folder)).toHaveLength(1)
    expect(numbers(await read(output)).at(-1)).toBe(20)
    await output.close()
  })

  test('follows across rotations without missing an entry', async ({ folder }) => {
    const output = await open(folder, { maxBytes: 500, maxFiles: 1000 })
    await tell(output, 5)
    const following = read(output, { since: 2, follow: () => true })
    await tell(output, 200, 6)
    await output.close()
    expect(numbers(await following)).toEqual(Array.from({ length: 203 }, (_, index) => index + 3))
  })

  test('ends when no more entries will come', async ({ folder }) => {
    const output = await open(folder)
    let isOver = false
    const following = read(output, { follow: () => !isOver })
    await tell(output, 2)
    isOver = true
    output.nudge()
    expect(texts(await following)).toEqual(['line 1', 'line 2'])
    await output.close()
  })

  test('ends by its signal', async ({ folder }) => {
    const output = await open(folder)
    const gone = new AbortController()
    const following = read(output, { follow: () => true }, gone.signal)
    await pause(20)
    gone.abort()
    expect(await following).toEqual([])
    await output.close()
  })

  test('skips invalid entries', async ({ folder }) => {
    const output = await open(folder)
    await tell(output, 2)
    await output.close()
    const [name] = files(folder)
    appendFileSync(join(folder, name!), 'garbage\n{"seq":3}\n')
    writeFileSync(join(folder, 'notes.txt'), 'not ours')
    const again = await open(folder)
    await again.tell('line 3')
    expect(numbers(await read(again))).toEqual([1, 2, 3])
    await again.close()
  })
})

describe('after a crash', () => {
  test('numbers continue', async ({ folder }) => {
    for (let index = 1; index <= 3; index++) {
      const output = await open(folder)
      await tell(output, 1, index)
      await output.close()
    }
    const output = await open(folder)
    expect(numbers(await read(output))).toEqual([1, 2, 3])
    await output.close()
  })

  test('half a line at the end is dropped, at every length of it', async ({ folder }) => {
    const output = await open(folder)
    await tell(output, 2)
    await output.close()
    const path = join(folder, files(folder)[0]!)
    const whole = readFileSync(path)
    const before = whole.indexOf('\n') + 1
    for (let length = before; length < whole.length; length++) {
      writeFileSync(path, whole)
      truncateSync(path, length)
      const again = await open(folder)
      await again.tell('after')
      expect(texts(await read(again)), `${length} bytes`).toEqual(['line 1', 'after'])
      expect(numbers(await read(again))).toEqual([1, 2])
      await again.close()
    }
  })

  test('in the middle of a rotation', async ({ folder }) => {
    const output = await open(folder)
    await tell(output, 4)
    await output.close()
    writeFileSync(join(folder, '0000000000000005.jsonl'), '')
    const again = await open(folder)
    expect(again.seq).toBe(4)
    await again.tell('line 5')
    expect(numbers(await read(again))).toEqual([1, 2, 3, 4, 5])
    await again.close()
  })
})

describe('a full disk', () => {
  test.skipIf(!isRoot)(
    'loses lines, not the log (only root can mount a small one)',
    async ({ folder }) => {
      using disk = smallDisk(folder, 64 * 1024)
      const recorded = recordingLog()
      const options = { folder: join(disk.path, 'logs'), maxBytes: 1 << 20, maxFiles: 5 }
      const output = await openDeploymentLog({ ...options, log: recorded.log })
      await output.tell('before')
      disk.fill()
      for (let index = 0; index < 100; index++) await output.tell(`${index} ${'x'.repeat(200)}`)
      const kept = numbers(await read(output)).length
      expect(kept).toBeLessThan(100)
      disk.free()
      await output.tell('after')
      const entries = await read(output)
      expect(texts(entries).slice(-2)).toEqual([
        `${101 - kept} lines were lost: they could not be written to the disk`,
        'after',
      ])
      expect(numbers(entries).slice(-2)).toEqual([102, 103])
      expect(recorded.lines.filter(({ level }) => level === 50)).toHaveLength(1)
      await output.close()
    },
  )
})
