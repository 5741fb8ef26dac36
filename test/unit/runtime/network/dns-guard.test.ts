import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { readReply } from '../../../../service/src/dns/message/reply.ts'

const question = Buffer.from('\x01a\x04test\x00\x00\x10\x00\x01', 'latin1')

function header(answers: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes[2] = 0x80
  bytes.writeUInt16BE(1, 4)
  bytes.writeUInt16BE(answers, 6)
  return bytes
}

const pointer = (to: number) => Buffer.from([0xc0 | (to >> 8), to & 0xff])

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(60, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, head, data])
}

const packet = (...records: Buffer[]) =>
  Buffer.concat([header(records.length), question, ...records])

const [typeA, typeCname, typePtr, typeTxt, typeOpaque, typeMx] = [1, 5, 12, 16, 10, 15]
const asked = pointer(12)
// The first record's data, when its owner is a pointer.
const firstData = 12 + question.length + 2 + 10

/**
 * Many names, each of which begins at the end of a long chain of pointers.
 * @param type of the records with these names: a known one or not
 */
function pointerBomb(size: number, type: number): Buffer {
  const chainBytes = Math.floor(size / 2 / 2) * 2
  // Each pointer leads to the one before, and the first to the question's name.
  const chain = Array.from({ length: chainBytes / 2 }, (_, at) =>
    pointer(at === 0 ? 12 : firstData + 2 * (at - 1)),
  )
  const last = pointer(firstData + chainBytes - 2)
  const preference = Buffer.alloc(type === typeMx ? 2 : 0)
  const data = type === typeA ? Buffer.alloc(4, 9) : Buffer.concat([preference, last])
  const bomb = record(last, type, data)
  const left = size - firstData - chainBytes
  const bombs = Array.from({ length: Math.floor(left / bomb.length) }, () => bomb)
  return packet(record(asked, typeOpaque, Buffer.concat(chain)), ...bombs)
}

/** Many names of the greatest length. */
function longNames(size: number): Buffer {
  const long = Buffer.concat([
    ...Array.from({ length: 126 }, () => Buffer.from('\x01x')),
    Buffer.from([0]),
  ])
  const owner = pointer(firstData)
  const one = record(owner, typePtr, owner)
  const left = size - firstData - long.length
  const rest = Array.from({ length: Math.floor(left / one.length) }, () => one)
  return packet(record(asked, typeOpaque, long), ...rest)
}

function blockedMs(run: () => unknown): number {
  const before = performance.now()
  try {
    run()
  } catch {
    // Only the time counts, whether the reply is refused or read.
  }
  return performance.now() - before
}

const bombs: [string, Buffer][] = [
  ['UDP, names of pointers', pointerBomb(1232, typePtr)],
  ['UDP, addresses', pointerBomb(1232, typeA)],
  ['UDP, names of a type nobody asked for', pointerBomb(1232, typeMx)],
  ['TCP, names of pointers', pointerBomb(8192, typePtr)],
  ['TCP, addresses', pointerBomb(8192, typeA)],
  ['TCP, names of a type nobody asked for', pointerBomb(8192, typeMx)],
  ['TCP, the longest names', longNames(8192)],
]

describe('a bomb blocks the process for 15 ms at most', () => {
  it.each(bombs)('%s', (_, bomb) => {
    // The best of three, because other processes may have the processor meanwhile.
    const times = [1, 2, 3].map(() => blockedMs(() => readReply(Buffer.from(bomb))))
    expect(Math.min(...times)).toBeLessThan(15)
  })

  it('is a real one: dns-packet alone decodes all of it', () => {
    for (const [, bomb] of bombs)
      expect(decode(Buffer.from(bomb)).answers!.length).toBeGreaterThan(30)
  })

  it.each(bombs.filter(([name]) => name.startsWith('TCP')))('and is refused: %s', (_, bomb) => {
    expect(() => readReply(Buffer.from(bomb))).toThrow('its names are too long to follow')
  })
})

describe('a reply is broken', () => {
  const name = (...labels: string[]) =>
    Buffer.from(
      [...labels.map((text) => String.fromCharCode(text.length) + text), '\0'].join(''),
      'latin1',
    )
  it.each<[string, Buffer, string]>([
    [
      'more records announced than sent',
      changed(packet(record(asked, typeTxt, Buffer.from('\x01x'))), 7, 9),
      'a name is cut off',
    ],
    ['a record without an end', packet(asked), 'a record is cut off'],
    [
      'data beyond the end',
      packet(record(asked, typeTxt, Buffer.from('\x05hello')).subarray(0, -1)),
      'record data is cut off',
    ],
    [
      'a pointer to itself',
      packet(record(pointer(24), typeTxt, Buffer.from('\x01x'))),
      'a pointer leads nowhere',
    ],
    [
      'a pointer forward',
      packet(record(pointer(60), typeTxt, Buffer.alloc(60))),
      'a pointer leads nowhere',
    ],
    [
      'a pointer into the header',
      packet(record(pointer(4), typeTxt, Buffer.from('\x01x'))),
      'a pointer leads nowhere',
    ],
    ['a label of 64', packet(record(asked, typePtr, name('x'.repeat(64)))), 'a name is too long'],
    [
      'a name of 260',
      packet(record(asked, typePtr, name(...Array.from({ length: 5 }, () => 'y'.repeat(51))))),
      'a name is too long',
    ],
  ])('%s', (_, broken, reason) => {
    expect(() => readReply(broken)).toThrow(reason)
  })
})

describe('a reply is read', () => {
  it('without records of unknown types', () => {
    const reply = packet(
      record(asked, typeMx, Buffer.from('\0\x01\x01m\0', 'latin1')),
      record(asked, 46, Buffer.alloc(3)),
      record(asked, typeTxt, Buffer.from('\x01x\x02yz')),
    )
    expect(readReply(reply).records).toEqual([
      { name: 'a.test', type: 'TXT', ttl: 60, data: 'xyz' },
    ])
  })
  it('without the sections after the answer, however wrong they are', () => {
    const reply = packet(record(asked, typeTxt, Buffer.from('\x01x')))
    reply.writeUInt16BE(9, 8)
    reply.writeUInt16BE(9, 10)
    expect(readReply(reply).records).toHaveLength(1)
  })
  it('without data that does not fit its type', () => {
    const reply = packet(
      record(asked, typeA, Buffer.alloc(3)),
      record(asked, typeTxt, Buffer.from('\x09x')),
      record(asked, typeCname, Buffer.from('\x01m\0more', 'latin1')),
      record(asked, typePtr, Buffer.alloc(0)),
      record(asked, typeA, Buffer.from([192, 0, 2, 1])),
    )
    const address = { name: 'a.test', type: 'A', ttl: 60, data: '192.0.2.1' }
    expect(readReply(reply).records).toEqual([address])
  })
  it('with a dot inside a label distinguished from a dot between labels', () => {
    const dotted = Buffer.from('\x06b.test\0', 'latin1')
    const reply = packet(record(asked, typePtr, dotted), record(dotted, typePtr, asked))
    expect(readReply(reply).records.map(({ name, data }) => [name, data])).toEqual([
      ['a.test', '\\ b.test'],
      ['\\ b.test', 'a.test'],
    ])
  })
})

function changed(bytes: Buffer, at: number, value: number): Buffer {
  bytes[at] = value
  return bytes
}
