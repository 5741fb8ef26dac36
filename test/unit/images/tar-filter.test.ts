import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ImageError } from '../../../images/src/index.ts'
import { TarFilter } from '../../../images/src/unpack/tar-filter.ts'
import { readHeader } from '../../../images/src/unpack/tar-header.ts'
import { longName, pax, rootOf, tarOf, type Entry } from './tar-fixture.ts'

/** What the extractor would get, fed in pieces of `step` bytes. */
function filter(tar: Buffer, step = tar.length): Buffer {
  const source = Buffer.from(tar) // the filter rewrites headers in place
  const tarFilter = new TarFilter()
  const out: Buffer[] = []
  for (let at = 0; at < source.length; at += step) {
    out.push(Buffer.from(tarFilter.push(source.subarray(at, at + step))))
  }
  return Buffer.concat([...out, tarFilter.end()])
}

const file: Entry = { name: 'etc/hello', body: 'hello' }

describe('what passes', () => {
  test('an ordinary archive, byte for byte', () => {
    const tar = rootOf(file, pax({ path: 'etc/long' }), file, longName('etc/l'), file)
    expect(filter(tar).equals(tar)).toBe(true)
  })

  test('however it is cut into pieces', () => {
    const tar = rootOf(file, { name: 'dev/x', type: '3' }, pax({ mtime: '1.5' }), file)
    const whole = filter(tar)
    for (const step of [1, 7, 511, 512, 513, 1000]) {
      expect(filter(tar, step).equals(whole)).toBe(true)
    }
  })

  test('nothing after the end mark', () => {
    const hidden = tarOf([{ name: 'etc/hidden', body: 'x' }])
    expect(filter(Buffer.concat([rootOf(file), hidden])).equals(rootOf(file))).toBe(true)
  })
})

describe('sizes', () => {
  test('a pax size rules over the header, as in GNU tar', () => {
    const inner = tarOf([{ name: 'dev/x', type: '3' }]).subarray(0, 512)
    const hiding = { name: 'etc/x', body: inner, size: 0 }
    const tar = rootOf(pax({ size: '512' }), hiding, file)
    expect(filter(tar).equals(tar)).toBe(true)
    // Without the record the body is a header of its own, and taken out.
    expect(filter(rootOf(hiding)).equals(rootOf({ name: 'etc/x' }))).toBe(true)
  })
})

describe('what is taken out', () => {
  test.each(['3', '4', '6'])('entries of type %s, with their long names', (type) => {
    const device = { name: 'dev/x', type }
    const tar = rootOf(longName('dev/long'), device, pax({ path: 'dev/pax' }), device, file)
    expect(filter(tar).equals(rootOf(file))).toBe(true)
  })

  test('setuid and setgid, not the sticky bit', () => {
    const expected = rootOf({ ...file, mode: 0o755 }, { name: 'tmp/', type: '5', mode: 0o1777 })
    const tar = rootOf({ ...file, mode: 0o6755 }, { name: 'tmp/', type: '5', mode: 0o7777 })
    const kept = filter(tar)
    expect(kept.length).toBe(expected.length)
    expect(kept.toString('latin1')).toContain('0000755\0')
    expect(kept.toString('latin1')).toContain('0001777\0')
    expect(kept.toString('latin1')).not.toMatch(/000[2-7]\d{3}\0/)
  })

  test('global records that change nothing', () => {
    expect(filter(rootOf(pax({ comment: 'x' }, 'g'), file)).equals(rootOf(file))).toBe(true)
  })

  test.each(['1', '2', '5'])('a size on type %s, which has no body', (type) => {
    const tar = rootOf({ name: 'etc/x', type, link: 'etc/hello', size: 5 }, file)
    const kept = filter(tar)
    expect(kept.length).toBe(tar.length)
    expect(readHeader(kept.subarray(1024, 1536))).toEqual({ name: 'etc/x', type, size: 0 })
  })
})

describe('what is refused', () => {
  test.each<[string, Entry[], string]>([
    ['a name with ..', [{ name: '../x', body: 'x' }], 'leads out'],
    ['.. inside', [{ name: 'etc/../../x', body: 'x' }], 'leads out'],
    ['.. in a pax path', [pax({ path: 'a/../../x' }), file], 'leads out'],
    ['.. in a long name', [longName('../x'), file], 'leads out'],
    ['.. behind a harmless pax path', [longName('../x'), pax({ path: 'a' }), file], 'leads out'],
    ['a path 3000 levels deep', [longName('d/'.repeat(3000)), file], 'nested too deep'],
    ['a name of 5000 bytes', [longName('d'.repeat(5000)), file], 'nested too deep'],
    ['a NUL in a pax path', [pax({ path: 'etc/x\0y' }), file], 'pax record'],
    ['a broken pax record', [{ name: 'p', type: 'x', body: '99 path=x\n' }, file], 'pax record'],
    ['a pax record without =', [{ name: 'p', type: 'x', body: '8 pathx\n' }, file], 'pax record'],
    ['a pax size that is none', [pax({ size: '-1' }), file], 'bad size'],
    ['a pax size for everything', [pax({ size: '1' }, 'g'), file], 'sets size for all'],
    ['a pax path for everything', [pax({ path: 'x' }, 'g'), file], 'sets path for all'],
    ['old GNU sparse files', [{ ...file, type: 'S' }], 'sparse'],
    ['pax sparse files', [pax({ 'GNU.sparse.major': '1' }), file], 'sparse'],
    ['an unknown type', [{ ...file, type: 'M' }], 'unknown type "M"'],
    ['a folder with content', [{ name: 'etc/x/', body: 'hidden header' }], 'named like a folder'],
    ['one by long name', [longName('etc/x/'), file], 'named like a folder'],
    ['a folder with a pax size', [pax({ size: '512' }), { name: 'x', type: '5' }], 'has a size'],
    ['a huge long name', [{ name: 'x', type: 'L', size: 2 << 20 }], 'oversized name'],
  ])('%s', (_, entries, message) => {
    expect(() => filter(rootOf(...entries))).toThrow(
      expect.objectContaining({
        kind: 'IMAGE_ARCHIVE_INVALID',
        message: expect.stringContaining(message) as string,
      }) as Error,
    )
  })

  test('an archive cut off anywhere', () => {
    const tar = rootOf(file)
    for (let length = 0; length <= tar.length - 1024; length += 64) {
      expect(() => filter(tar.subarray(0, length))).toThrow('cut off')
    }
  })

  test('a header with a wrong checksum', () => {
    const tar = rootOf(file)
    tar[1030] = 0x41
    expect(() => filter(tar)).toThrow('bad tar header')
  })
})

describe('damaged archives', () => {
  const tar = rootOf(
    file,
    { name: 'dev/x', type: '3' },
    pax({ path: 'etc/y' }),
    file,
    longName('z'),
  )
  const damage = fc.array(fc.tuple(fc.nat(tar.length - 1), fc.nat(255)), { maxLength: 3 })

  /** Makes the checksums right again, so that the damage reaches what is behind them. */
  function repaired(archive: Buffer): Buffer {
    for (let at = 0; at + 512 <= archive.length; at += 512) {
      const block = archive.subarray(at, at + 512)
      if (block.toString('latin1', 257, 262) !== 'ustar') continue
      block.fill(' ', 148, 156)
      const sum = block.reduce((total, byte) => total + byte, 0)
      block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    }
    return archive
  }

  test('are refused, or pass so that filtering again changes nothing', () => {
    const property = fc.property(damage, fc.boolean(), (changes, repair) => {
      const archive = Buffer.from(tar)
      for (const [at, byte] of changes) archive[at] = byte
      const once = attempt(repair ? repaired(archive) : archive)
      return once === undefined || filter(once).equals(once)
    })
    expect(() => fc.assert(property, { numRuns: 3000 })).not.toThrow()
  })

  function attempt(archive: Buffer): Buffer | undefined {
    try {
      return filter(archive)
    } catch (error) {
      if (error instanceof ImageError) return undefined
      throw error
    }
  }
})
