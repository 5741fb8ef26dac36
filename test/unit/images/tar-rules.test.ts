/**
 * What an archive may say, and what is made of it.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { base256, longLink, longName, pax, rootOf, tarOf, type Entry } from './tar-fixture.ts'
import { test } from './temp-folder.ts'
import { expectRefused, hello, unpack } from './unpack-fixture.ts'

const file: Entry = { name: 'etc/hello', body: 'hello' }

/** A patch that writes text into a field of the header. */
const field = (at: number, text: string) => (header: Buffer) =>
  void header.write(text, at, 'latin1')

describe('what is refused', () => {
  test.for<[string, Entry[], string]>([
    ['a name with ..', [{ name: '../x', body: 'x' }], '"../x" leads out'],
    ['.. inside', [{ name: 'etc/../../x', body: 'x' }], 'leads out'],
    ['.. at the end', [{ name: 'etc/..', type: '5' }], 'leads out'],
    ['.. in a pax path', [pax({ path: 'a/../../x' }), file], 'leads out'],
    ['.. in a long name', [longName('../x'), file], 'leads out'],
    ['.. behind a harmless pax path', [longName('../x'), pax({ path: 'a' }), file], 'leads out'],
    ['.. in a ustar prefix', [{ ...file, patch: field(345, '..') }], 'leads out'],
    ['a path 3000 levels deep', [longName('d/'.repeat(3000)), file], 'nested too deep'],
    ['a path 257 levels deep', [longName(`${'d/'.repeat(256)}f`), file], 'nested too deep'],
    ['a name of 5000 bytes', [longName('d'.repeat(5000)), file], 'nested too deep'],
    ['a component of 256 bytes', [longName(`etc/${'d'.repeat(256)}`), file], 'name too long'],
    ['a NUL in a pax path', [pax({ path: 'etc/x\0y' }), file], 'pax record'],
    ['a NUL in a pax key', [pax({ 'pa\0th': 'etc/x' }), file], 'pax record'],
    ['a broken pax record', [{ name: 'p', type: 'x', body: '99 path=x\n' }, file], 'pax record'],
    ['a pax record without =', [{ name: 'p', type: 'x', body: '8 pathx\n' }, file], 'pax record'],
    ['a pax record without key', [{ name: 'p', type: 'x', body: '5 =x\n' }, file], 'pax record'],
    ['a pax record of no length', [{ name: 'p', type: 'x', body: '0 a=b\n' }, file], 'pax record'],
    ['a pax record cut short', [{ name: 'p', type: 'x', body: '9' }, file], 'pax record'],
    ['a pax size that is none', [pax({ size: '-1' }), file], 'bad size'],
    ['a pax size beyond all', [pax({ size: '99999999999999999999' }), file], 'bad size'],
    ['a pax time that is none', [pax({ mtime: '1.2.3' }), file], 'bad time'],
    ['a pax size for everything', [pax({ size: '1' }, 'g'), file], 'sets size for all'],
    ['a pax path for everything', [pax({ path: 'x' }, 'g'), file], 'sets path for all'],
    ['GNU records for everything', [pax({ 'GNU.x': '1' }, 'g'), file], 'sets GNU records for all'],
    ['old GNU sparse files', [{ ...file, type: 'S' }], 'sparse'],
    ['pax sparse files', [pax({ 'GNU.sparse.major': '1' }), file], 'sparse'],
    ['an unknown type', [{ ...file, type: 'M' }], '"etc/hello" has unknown type "M"'],
    ['a folder with content', [{ name: 'etc/x/', body: 'hidden header' }], 'named like a folder'],
    ['one by long name', [longName('etc/x/'), file], 'named like a folder'],
    ['one without a name', [{ name: '', body: 'x' }], 'named like a folder'],
    ['a folder with a pax size', [pax({ size: '512' }), { name: 'x', type: '5' }], 'has a size'],
    ['a long name of 2 GiB', [{ name: 'x', type: 'L', size: 2 ** 31 }], 'oversized name'],
    ['pax records of 2 GiB', [{ name: 'x', type: 'x', size: 2 ** 31 }], 'oversized name'],
    ['a file as the root', [{ name: './.', body: 'x' }], 'names the root itself'],
    ['a link as the root', [{ name: '/', type: '2', link: 'etc' }], 'names the root itself'],
    ['a link to nothing', [{ name: 'etc/x', type: '2', link: '' }], '"etc/x" cannot be made'],
    ['a size of letters', [{ ...file, patch: field(124, 'abc') }], 'bad tar number'],
    ['a time of letters', [{ ...file, patch: field(136, 'abc') }], 'bad tar time'],
    ['a mode of letters', [{ ...file, patch: field(100, 'abc') }], 'bad tar number'],
    [
      'a negative size',
      [{ ...file, patch: (at) => base256(at, 124, 12, -512n) }],
      'bad tar number',
    ],
    [
      'a size over all files',
      [{ ...file, patch: (at) => base256(at, 124, 12, 2n ** 80n) }],
      'bad tar number',
    ],
    [
      'a hard link to what is not there',
      [{ name: 'etc/x', type: '1', link: 'etc/nothing' }],
      '"etc/x" is a hard link to "etc/nothing", which is not an earlier file of the archive',
    ],
    ['a hard link to a folder', [{ name: 'etc/x', type: '1', link: 'bin' }], 'is a hard link to'],
    ['a hard link to the root', [{ name: 'etc/x', type: '1', link: '/' }], 'is a hard link to'],
    ['a hard link to itself', [{ name: 'etc/x', type: '1', link: 'etc/x' }], 'is a hard link to'],
    ['a climbing hard link', [{ name: 'etc/x', type: '1', link: 'etc/../x' }], 'leads out'],
    [
      'a hard link to a symbolic one',
      [
        { name: 'etc/s', type: '2', link: 'hello' },
        { name: 'etc/x', type: '1', link: 'etc/s' },
      ],
      'is a hard link to',
    ],
    [
      'a file for a folder that is not empty',
      [{ name: 'etc/d/f' }, { name: 'etc/d', body: 'x' }],
      '"etc/d" cannot be made',
    ],
    [
      'a file in a file',
      [{ name: 'etc/f' }, { name: 'etc/f/x', body: 'x' }],
      '"etc/f" cannot be made: Not a directory',
    ],
    [
      'control characters and quotes in a name',
      [{ name: '\x1b[2J"\\\n\u202e/..', body: 'x' }],
      '"\\x1b[2J\\"\\\\\\n\\xe2\\x80\\xae/.." leads out',
    ],
  ])('%s', async ([, entries, message], { folder }) => {
    await expectRefused(folder, rootOf(...entries), message)
  })

  test('a header with a wrong checksum', async ({ folder }) => {
    const tar = rootOf(file)
    tar[1030] = 0x41
    await expectRefused(folder, tar, 'bad tar header')
  })

  test('an archive cut off at any block', async ({ folder }) => {
    const tar = rootOf(pax({ path: 'etc/y' }), file, longName('etc/z'), file)
    for (let length = 512; length <= tar.length - 1024; length += 512) {
      await expectRefused(folder, tar.subarray(0, length), 'cut off')
      await expectRefused(folder, tar.subarray(0, length + 100), 'cut off')
    }
  })

  test('links that lead deeper than any name', async ({ folder }) => {
    const deep = 'd/'.repeat(200)
    const entries = [
      longName(`etc/${deep}`),
      { name: 'short', type: '5' },
      longLink(deep),
      { name: 'etc/l', type: '2' },
      longName(`etc/l/${deep}`),
      { name: 'short', type: '5' },
    ]
    await expectRefused(folder, rootOf(...entries), 'nested too deep')
  })
})

describe('names', () => {
  test.for<[string, Entry[]]>([
    ['as it is', [hello]],
    ['absolute', [{ ...hello, name: '/etc/hello' }]],
    ['with dots and slashes', [{ ...hello, name: './/etc/././/hello' }]],
    ['in a ustar prefix', [{ ...hello, name: 'hello', patch: field(345, 'etc') }]],
    ['in pax', [pax({ path: 'etc/hello' }), { ...hello, name: 'other' }]],
    ['as a GNU long name', [longName('etc/hello'), { ...hello, name: 'other' }]],
    ['in pax rather than GNU', [pax({ path: 'etc/hello' }), longName('x'), hello]],
    ['of two the last', [longName('etc/x'), longName('etc/hello'), hello]],
    ['cut off like a folder beside a long one', [longName('etc/hello'), { ...hello, name: 'x/' }]],
    ['cut off after .. beside a long one', [longName('etc/hello'), { ...hello, name: 'x/..' }]],
    ['as an old tar has it', [{ ...hello, type: '\0', patch: field(257, '\0\0\0\0\0\0\0\0') }]],
    ['of a contiguous file', [{ ...hello, type: '7' }]],
  ])('%s', async ([, entries], { folder }) => {
    await unpack(folder, rootOf(...entries))
    expect(readdirSync(join(folder, 'root')).toSorted()).toEqual(['bin', 'etc'])
    expect(readdirSync(join(folder, 'root/etc'))).toEqual(['hello'])
    expect(readFileSync(join(folder, 'root/etc/hello'), 'utf8')).toBe('hello\n')
  })

  test('with the prefix of an old GNU header, which is none', async ({ folder }) => {
    const old = (header: Buffer) => {
      header.write('ustar  \0', 257, 'latin1')
      header.write('12345670', 345, 'latin1')
    }
    await unpack(folder, rootOf({ ...hello, patch: old }))
    expect(readdirSync(join(folder, 'root/etc'))).toEqual(['hello'])
  })

  test('bytes that are no UTF-8 stay as they are', async ({ folder }) => {
    const name = Buffer.from([0x65, 0xff, 0xfe, 0x0a])
    await unpack(folder, rootOf({ ...hello, patch: (header) => void name.copy(header, 4) }))
    const [found] = readdirSync(join(folder, 'root/etc'), { encoding: 'buffer' })
    expect(found?.subarray(0, 4).equals(name)).toBe(true)
  })

  test('a checksum of signed bytes', async ({ folder }) => {
    const tar = rootOf({ ...hello, name: 'etc/\u00e9' })
    const header = tar.subarray(1024, 1536)
    const high = header.reduce((count, byte) => count + (byte >> 7), 0)
    const sum = Number.parseInt(header.toString('latin1', 148, 154), 8) - 256 * high
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    await unpack(folder, tar)
    expect(readdirSync(join(folder, 'root/etc'))).toEqual(['\u00e9'])
  })
})

describe('sizes', () => {
  test('of pax rule over the header', async ({ folder }) => {
    const inner = tarOf([{ name: 'etc/hidden', type: '5' }]).subarray(0, 512)
    await unpack(
      folder,
      rootOf(pax({ size: '512' }), { name: 'etc/x', body: inner, size: 0 }, hello),
    )
    expect(readdirSync(join(folder, 'root/etc')).toSorted()).toEqual(['hello', 'x'])
    expect(readFileSync(join(folder, 'root/etc/x')).equals(inner)).toBe(true)
  })

  test('without the record the body is a header of its own', async ({ folder }) => {
    const inner = tarOf([{ name: 'etc/hidden', type: '5' }]).subarray(0, 512)
    await unpack(folder, rootOf({ name: 'etc/x', body: inner, size: 0 }, hello))
    expect(readdirSync(join(folder, 'root/etc')).toSorted()).toEqual(['hello', 'hidden', 'x'])
  })

  test.for(['1', '2', '5'])('on type %s mean nothing', async (type, { folder }) => {
    await unpack(folder, rootOf(hello, { name: 'etc/x', type, link: 'etc/hello', size: 5 }, file))
    expect(readdirSync(join(folder, 'root/etc')).toSorted()).toEqual(['hello', 'x'])
  })

  test('in binary', async ({ folder }) => {
    const patch = (header: Buffer) => {
      base256(header, 124, 12, 6n)
      base256(header, 136, 12, -5n)
    }
    await unpack(folder, rootOf({ ...hello, patch }))
    expect(statSync(join(folder, 'root/etc/hello'))).toMatchObject({ size: 6, mtimeMs: -5000 })
  })
})

describe('times', () => {
  test('of everything, with pax fractions', async ({ folder }) => {
    await unpack(
      folder,
      rootOf(
        { name: 'etc/d/', type: '5', mtime: 1_000_000_000 },
        pax({ mtime: '1111111111.123456789012' }),
        { name: 'etc/d/f', body: 'x' },
        pax({ mtime: '-1.25' }),
        { name: 'etc/l', type: '2', link: 'd' },
        { name: 'etc/d/later', body: 'x' },
      ),
    )
    const time = (name: string) => lstatSync(join(folder, 'root', name), { bigint: true }).mtimeNs
    expect(time('etc/d')).toBe(1_000_000_000_000_000_000n)
    expect(time('etc/d/f')).toBe(1_111_111_111_123_456_789n)
    expect(time('etc/l')).toBe(-1_250_000_000n)
  })
})

describe('folders', () => {
  test('that are missing are made, open to all', async ({ folder }) => {
    await unpack(folder, rootOf({ name: 'opt/a/b/c', body: 'x' }))
    for (const name of ['opt', 'opt/a', 'opt/a/b']) {
      expect(statSync(join(folder, 'root', name)).mode & 0o7777).toBe(0o755)
    }
  })

  test('that come after their files, and closed before them', async ({ folder }) => {
    await unpack(
      folder,
      rootOf(
        { name: 'opt/a/f', body: 'x' },
        { name: 'opt/', type: '5', mode: 0o511, mtime: 5 },
        { name: 'opt/a/', type: '5', mode: 0o500, mtime: 6 },
      ),
    )
    const found = (name: string) => statSync(join(folder, 'root', name))
    expect(found('opt')).toMatchObject({ mtimeMs: 5000 })
    expect(found('opt').mode & 0o777).toBe(0o511)
    expect(found('opt/a')).toMatchObject({ mtimeMs: 6000 })
    expect(found('opt/a').mode & 0o777).toBe(0o500)
  })

  test('named without a slash, and files named with one', async ({ folder }) => {
    await unpack(folder, rootOf({ name: 'opt', type: '5' }, { name: 'srv/', type: '0' }))
    for (const name of ['opt', 'srv']) {
      expect(statSync(join(folder, 'root', name)).isDirectory()).toBe(true)
    }
  })

  test('over a link to a folder are that folder (merged /usr)', async ({ folder }) => {
    await unpack(
      folder,
      tarOf([
        { name: 'usr/bin/', type: '5', mode: 0o755 },
        { name: 'bin', type: '2', link: '/usr/bin' },
        { name: 'bin/', type: '5', mode: 0o751 },
        { name: 'bin/sh', body: 'x' },
      ]),
    )
    expect(readlinkSync(join(folder, 'root/bin'))).toBe('/usr/bin')
    expect(readdirSync(join(folder, 'root/usr/bin'))).toEqual(['sh'])
    expect(statSync(join(folder, 'root/usr/bin')).mode & 0o777).toBe(0o751)
  })

  test.for(['nothing', 'hello', 'x'])('over a link to %s replace it', async (link, { folder }) => {
    const entries = [
      { name: 'etc/x', type: '2', link },
      { name: 'etc/x/', type: '5' },
    ]
    await unpack(folder, rootOf(hello, ...entries))
    expect(lstatSync(join(folder, 'root/etc/x')).isDirectory()).toBe(true)
  })

  test('keep the metadata of the one that stayed', async ({ folder }) => {
    await unpack(
      folder,
      rootOf(
        { name: 'etc/d/', type: '5', mode: 0o777 },
        { name: 'etc/d', body: 'a file now' },
        { name: 'etc/e/', type: '5', mode: 0o700 },
        { name: 'etc/d', type: '2', link: 'e' },
      ),
    )
    expect(statSync(join(folder, 'root/etc/e')).mode & 0o777).toBe(0o700)
    expect(lstatSync(join(folder, 'root/etc/d')).isSymbolicLink()).toBe(true)
  })
})

describe('links', () => {
  test('later entries replace earlier ones', async ({ folder }) => {
    const twice = [
      { name: 'etc/a', body: 'first' },
      { name: 'etc/a', body: '2' },
      { name: 'etc/a', type: '2', link: 'b' },
      { name: 'etc/a', type: '2', link: 'c' },
    ]
    await unpack(folder, rootOf(...twice))
    expect(readlinkSync(join(folder, 'root/etc/a'))).toBe('c')
  })

  test('hard ones share a file, through links of the archive too', async ({ folder }) => {
    const { entries } = await unpack(
      folder,
      rootOf(
        hello,
        { name: 'config', type: '2', link: '/etc' },
        { name: 'bin/a', type: '1', link: 'config/hello' },
        { name: 'bin/b', body: 'x' },
        { name: 'bin/b', type: '1', link: '/etc/hello' },
        { name: 'etc/hello', type: '1', link: 'bin/b' },
        longLink('./etc//hello'),
        { name: 'bin/c', type: '1', link: 'short' },
      ),
    )
    const inode = statSync(join(folder, 'root/etc/hello')).ino
    expect(statSync(join(folder, 'root/etc/hello')).nlink).toBe(4)
    for (const name of ['a', 'b', 'c']) {
      expect(statSync(join(folder, 'root/bin', name)).ino).toBe(inode)
    }
    expect(entries).toBe(9)
  })

  test('long targets of both kinds', async ({ folder }) => {
    const target = `/${'t'.repeat(250)}`.repeat(4)
    await unpack(
      folder,
      rootOf(
        longLink(target),
        { name: 'etc/gnu', type: '2', link: 'short' },
        pax({ linkpath: target }),
        { name: 'etc/pax', type: '2', link: 'short' },
      ),
    )
    expect(readlinkSync(join(folder, 'root/etc/gnu'))).toBe(target)
    expect(readlinkSync(join(folder, 'root/etc/pax'))).toBe(target)
  })
})

describe('what is left out', () => {
  test.for(['3', '4', '6'])(
    'entries of type %s, with their long names',
    async (type, { folder }) => {
      const device = { name: 'dev/x', type }
      const tar = rootOf(longName('dev/long'), device, pax({ path: 'dev/pax' }), device, hello)
      const { skipped, entries } = await unpack(folder, tar)
      expect(skipped).toBe(2)
      expect(entries).toBe(3)
      expect(readdirSync(join(folder, 'root')).toSorted()).toEqual(['bin', 'etc'])
    },
  )

  test('whiteouts, with what is below and their content', async ({ folder }) => {
    const names = ['.wh.', '.wh..wh..opq', 'etc/.wh.b', '.wh..wh.plnk/1.2']
    const entries = names.map((name) => ({ name, body: 'x'.repeat(700) }))
    const { skipped } = await unpack(folder, rootOf(...entries, hello))
    expect(skipped).toBe(4)
    expect(readdirSync(join(folder, 'root')).toSorted()).toEqual(['bin', 'etc'])
    expect(readdirSync(join(folder, 'root/etc'))).toEqual(['hello'])
  })

  test('setuid and setgid, not the sticky bit', async ({ folder }) => {
    await unpack(
      folder,
      rootOf({ ...file, mode: 0o7755 }, { name: 'tmp/', type: '5', mode: 0o107777 }),
    )
    expect(statSync(join(folder, 'root/etc/hello')).mode & 0o7777).toBe(0o1755)
    expect(statSync(join(folder, 'root/tmp')).mode & 0o7777).toBe(0o1777)
  })

  test('global records that change nothing, and attributes', async ({ folder }) => {
    const attribute = pax({ 'SCHILY.xattr.security.capability': 'a\0b', comment: 'c' })
    await unpack(folder, rootOf(pax({ comment: 'x' }, 'g'), attribute, hello))
    expect(readdirSync(join(folder, 'root/etc'))).toEqual(['hello'])
  })
})

describe('a wrapper folder', () => {
  const wrapped = (...entries: Entry[]) =>
    tarOf(entries.map((entry) => ({ ...entry, name: `./debian/${entry.name}` })))

  test('is where absolute links start', async ({ folder }) => {
    const { entries } = await unpack(
      folder,
      wrapped(
        { name: '', type: '5', mode: 0o700 },
        { name: 'usr/bin/', type: '5' },
        { name: 'bin', type: '2', link: '/usr/bin' },
        { name: 'bin/sh', body: 'x' },
        { name: 'bin/dash', type: '1', link: '/debian/bin/sh' },
      ),
    )
    expect(readdirSync(join(folder, 'root')).toSorted()).toEqual(['bin', 'usr'])
    expect(readdirSync(join(folder, 'root/usr/bin')).toSorted()).toEqual(['dash', 'sh'])
    expect(entries).toBe(5)
  })

  test('holds hard links in', async ({ folder }) => {
    const tar = wrapped({ name: 'etc/a', body: 'x' }, { name: 'etc/b', type: '1', link: 'etc/a' })
    await expectRefused(folder, tar, 'is a hard link to')
  })

  test('is none when something is beside it', async ({ folder }) => {
    await unpack(folder, tarOf([{ name: 'app/x', body: 'x' }, hello]))
    expect(readdirSync(join(folder, 'root')).toSorted()).toEqual(['app', 'etc'])
  })

  test('is no file', async ({ folder }) => {
    const tar = tarOf([{ name: 'debian', body: 'x' }])
    await expectRefused(folder, tar, 'found debian; expected bin, usr or etc')
  })

  test('cannot become something else', async ({ folder }) => {
    const tar = tarOf([
      { name: 'debian/etc/x', body: 'x' },
      { name: 'debian', type: '2', link: '/' },
    ])
    await expectRefused(folder, tar, 'names the root itself')
  })
})
