/** Splits any bytes in any chunks; the written bytes can be put together again. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  entryBytes,
  formatEntries,
  parseEntry,
} from '../../../../runtime/src/supervisor/log/log-entry.ts'
import {
  createLineSplitter,
  type LinePiece,
} from '../../../../runtime/src/supervisor/log/log-lines.ts'

const source = { execution: 1, attempt: 2, stream: 'stdout' } as const
const time = new Date(0)

function split(chunks: readonly Buffer[], maxBytes?: number): LinePiece[] {
  const splitter = createLineSplitter(maxBytes)
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
}

const shown = (pieces: readonly LinePiece[]) =>
  pieces.map(({ bytes, partial }) => `${bytes.toString()}${partial ? '…' : ''}`)

describe('lines', () => {
  test('are returned whole, whatever chunks they came in', () => {
    expect(shown(split(['a', 'b\nc\r\n\n', 'd'].map((text) => Buffer.from(text))))).toEqual([
      'ab',
      'c\r',
      '',
      'd…',
    ])
  })

  test('without an end are cut between characters', () => {
    const pieces = split([Buffer.from(`${'x'.repeat(7)}€€€\n`)], 8)
    expect(shown(pieces)).toEqual(['xxxxxxx…', '€€…', '€'])
  })

  test('that are not text are cut at the limit', () => {
    const pieces = split([Buffer.alloc(20, 0x80)], 8)
    expect(pieces.map(({ bytes }) => bytes.length)).toEqual([8, 8, 4])
  })

  test('that are unfinished can be flushed, except for an incomplete character', () => {
    const splitter = createLineSplitter()
    expect(splitter.push(Buffer.from('price: €').subarray(0, 9))).toEqual([])
    expect(shown(splitter.flush())).toEqual(['price: …'])
    expect(splitter.isPending).toBe(true)
    expect(shown(splitter.push(Buffer.from('€\n').subarray(2)))).toEqual(['€'])
    expect(splitter.flush()).toEqual([])
  })

  test('keep every byte', () => {
    const chunks = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
        fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => Buffer.from(`${text}\n`)),
      ),
    )
    fc.assert(
      fc.property(chunks, fc.integer({ min: 4, max: 32 }), (given, maxBytes) => {
        const lines = formatEntries(split(given, maxBytes), 5, source, time).split('\n')
        expect(lines.pop()).toBe('')
        const entries = lines.map((line) => parseEntry(line)!)
        expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => 5 + index))
        expect(Buffer.concat(entries.map(entryBytes))).toEqual(Buffer.concat(given))
        for (const { bytes } of split(given, maxBytes)) {
          expect(bytes.length).toBeLessThanOrEqual(maxBytes)
        }
      }),
    )
  })

  test('of text stay valid text however long they are', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 })
    fc.assert(
      fc.property(text, (given) => {
        const lines = formatEntries(split([Buffer.from(given)], 8), 1, source, time)
        expect(lines).not.toContain('base64')
      }),
    )
  })
})

test('an entry is one line of JSON', () => {
  const pieces = [
    { bytes: Buffer.from('say "hi"\u2028\u0000'), partial: false },
    { bytes: Buffer.from([0xff, 0x00]), partial: true },
  ]
  expect(
    formatEntries(pieces, 7, source, time)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { seq: 7, time: '1970-01-01T00:00:00.000Z', ...source, text: 'say "hi"\u2028\u0000' },
    { seq: 8, time: '1970-01-01T00:00:00.000Z', ...source, base64: '/wA=', partial: true },
  ])
})

test('half of an entry is not an entry', () => {
  const line = formatEntries([{ bytes: Buffer.from('x'), partial: false }], 1, source, time)
  expect(parseEntry(line)).toMatchObject({ seq: 1 })
  for (let length = 0; length < line.length - 1; length++) {
    expect(parseEntry(line.slice(0, length)), `${length} characters`).toBeUndefined()
  }
  expect(parseEntry('{"seq":1,"stream":"other"}')).toBeUndefined()
  expect(parseEntry('null')).toBeUndefined()
})
