import { text } from 'node:stream/consumers'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { readBundle, surveyBundle } from '../../../../runtime/src/deployment/bundle-entries.ts'
import { StartError } from '../../../../runtime/src/errors/start-error.ts'
import { test } from '../../../support/folder-fixture.ts'
import { thrownBy } from '../../../support/thrown.ts'
import { zipOf, type ZipEntrySpec } from '../../../support/zip.ts'

function writeZip(folder: string, content: Buffer | readonly ZipEntrySpec[]): string {
  const file = join(folder, 'bundle.zip')
  writeFileSync(file, Buffer.isBuffer(content) ? content : zipOf(content as ZipEntrySpec[]))
  return file
}

/** Path, executable mark and text of every file. */
async function entries(file: string) {
  const found: { path: string; executable: boolean; text: string }[] = []
  for await (const { path, executable, open } of readBundle(file)) {
    found.push({ path, executable, text: await text(await open()) })
  }
  return found
}

const honest: ZipEntrySpec = { name: 'manifest.json', content: '{}' }

describe('an honest zip', () => {
  test('yields its files in their order', async ({ folder }) => {
    const file = writeZip(folder, [
      { name: 'b', content: 'two', deflate: true },
      { name: 'folder/', mode: 0o040755 },
      { name: 'folder/a', content: 'one', mode: 0o100755 },
      { name: 'é€😀', content: '' },
    ])
    expect(await entries(file)).toEqual([
      { path: 'b', executable: false, text: 'two' },
      { path: 'folder/a', executable: true, text: 'one' },
      { path: 'é€😀', executable: false, text: '' },
    ])
  })

  test('is read without modes', async ({ folder }) => {
    const file = writeZip(folder, [{ ...honest, mode: 0 }])
    expect(await entries(file)).toEqual([{ path: 'manifest.json', executable: false, text: '{}' }])
  })

  test('is read when another tool wrote it', async ({ folder }) => {
    mkdirSync(join(folder, 'job'))
    writeFileSync(join(folder, 'job/run'), 'x', { mode: 0o755 })
    const script = 'import shutil,sys; shutil.make_archive(sys.argv[1], "zip", sys.argv[2])'
    execFileSync('python3', ['-c', script, join(folder, 'made'), join(folder, 'job')])
    expect(await entries(join(folder, 'made.zip'))).toEqual([
      { path: 'run', executable: true, text: 'x' },
    ])
  })

  test('is surveyed, with the content of one file or none', async ({ folder }) => {
    const file = writeZip(folder, [{ name: './a' }, honest])
    const names = new Set(['a', 'manifest.json'])
    const wanted = Buffer.from('{}')
    expect(await surveyBundle(file, 'manifest.json', 2)).toEqual({ names, wanted })
    expect(await surveyBundle(file, 'none', 2)).toEqual({ names })
    expect(await surveyBundle(file, '__proto__', 2)).toEqual({ names })
  })

  test('returns no file over the limit', async ({ folder }) => {
    const file = writeZip(folder, [honest])
    expect(await thrownBy(() => surveyBundle(file, 'manifest.json', 1))).toMatchObject({
      kind: 'BUNDLE_INVALID',
      message: 'bundle: manifest.json: expected at most 1 bytes, found 2',
    })
  })

  test('may be empty', async ({ folder }) => {
    expect(await entries(writeZip(folder, []))).toEqual([])
  })
})

describe('a hostile zip', () => {
  const special = 'expected a plain file, found a link or special file'
  test.for<{ name: string; zip: readonly ZipEntrySpec[]; says: string }>([
    { name: 'a path up', zip: [{ name: '../x' }], says: 'invalid relative path: ../x' },
    { name: 'a path up later', zip: [{ name: 'a/../../x' }], says: 'invalid relative path' },
    { name: 'only ..', zip: [{ name: '..' }], says: 'invalid relative path: ..' },
    { name: 'a folder up', zip: [{ name: '../' }], says: 'invalid relative path: ../' },
    { name: 'an absolute path', zip: [{ name: '/etc/passwd' }], says: 'absolute path' },
    { name: 'a drive', zip: [{ name: 'C:/x' }], says: 'absolute path' },
    { name: 'a backslash', zip: [{ name: '..\\x' }], says: 'invalid characters in fileName' },
    { name: 'a NUL', zip: [{ name: 'a\0b' }], says: 'expected a name without NUL' },
    { name: 'no name', zip: [{ name: '' }], says: 'expected a name without NUL' },
    { name: 'a symbolic link', zip: [{ name: 'l', mode: 0o120777 }], says: `"l": ${special}` },
    { name: 'a device', zip: [{ name: 'd', mode: 0o020666 }], says: `"d": ${special}` },
    { name: 'a pipe', zip: [{ name: 'p', mode: 0o010666 }], says: `"p": ${special}` },
    { name: 'a folder without its slash', zip: [{ name: 'f', mode: 0o040755 }], says: special },
    {
      name: 'an encrypted file',
      zip: [{ name: 'e', flags: 0x801, content: 'x'.repeat(12), claimedSize: 0 }],
      says: '"e": the entry is encrypted',
    },
    {
      name: 'strong encryption',
      zip: [{ name: 'e', flags: 0x841, content: 'x'.repeat(12), claimedSize: 0 }],
      says: 'encrypt',
    },
    {
      name: 'a name twice',
      zip: [honest, honest],
      says: '"manifest.json": the name is used twice',
    },
    {
      name: 'a name twice in two spellings',
      zip: [honest, { name: './manifest.json' }],
      says: 'the name is used twice',
    },
    {
      name: 'a file as a folder',
      zip: [{ name: 'a' }, { name: 'a/b' }],
      says: 'expected a folder a',
    },
    { name: 'a folder as a file', zip: [{ name: 'a/b' }, { name: 'a' }], says: 'expected a file' },
    { name: 'too deep', zip: [{ name: 'n/'.repeat(5000) + 'n' }], says: 'at most 256 folders' },
    { name: 'a long name', zip: [{ name: 'n'.repeat(300) }], says: 'at most 4095 bytes' },
    { name: 'a wrong checksum', zip: [{ ...honest, claimedCrc: 1 }], says: 'wrong checksum' },
    { name: 'another method', zip: [{ ...honest, method: 12 }], says: 'compression method: 12' },
    {
      name: 'a size that claims less',
      zip: [{ name: 'a', content: 'x'.repeat(100_000), deflate: true, claimedSize: 10 }],
      says: 'too many bytes in the stream',
    },
    {
      name: 'a size that claims more',
      zip: [{ name: 'a', content: 'x', deflate: true, claimedSize: 1000 }],
      says: 'not enough bytes in the stream',
    },
    {
      name: 'a stored file of two sizes',
      zip: [{ name: 'a', content: 'xx', claimedSize: 1 }],
      says: 'size mismatch',
    },
    {
      name: 'more than the limit by its claim',
      zip: [{ name: 'a', deflate: true, claimedSize: 2 ** 31 }],
      says: 'expected at most 1073741824 bytes unpacked, found more',
    },
    {
      name: 'a body beyond the end',
      zip: [{ name: 'a', content: 'x', claimedSize: 5000, claimedCompressedSize: 5000 }],
      says: 'file data overflows file bounds',
    },
  ])('$name', async ({ zip, says }, { folder }) => {
    const error = await thrownBy(() => entries(writeZip(folder, zip)))
    expect(error).toBeInstanceOf(StartError)
    expect(error).toMatchObject({ kind: 'BUNDLE_INVALID' })
    expect((error as Error).message).toMatch(/^bundle: /)
    expect((error as Error).message).toContain(says)
  })

  const whole = zipOf([{ name: 'a', content: 'x'.repeat(200), deflate: true }, honest])
  const lengths = Array.from({ length: whole.length }, (_, length) => length)
  test('is refused when it is cut anywhere', async ({ folder }) => {
    const accepted: number[] = []
    for (const length of lengths) {
      const file = writeZip(folder, whole.subarray(0, length))
      const error = await entries(file).then(
        () => 'accepted',
        (thrown: unknown) => thrown,
      )
      const isRefused = error instanceof StartError && error.kind === 'BUNDLE_INVALID'
      if (!isRefused) accepted.push(length)
    }
    expect(accepted).toEqual([])
  })

  test('with any byte changed is either read or refused', async ({ folder }) => {
    const other: unknown[] = []
    for (const at of lengths) {
      const file = writeZip(
        folder,
        Buffer.from(whole.map((byte, i) => (i === at ? byte ^ 0xff : byte))),
      )
      await entries(file).catch((error: unknown) => {
        if (!(error instanceof StartError)) other.push({ at, error })
      })
    }
    expect(other).toEqual([])
  })

  test.for([
    { name: 'text', content: Buffer.from('hello') },
    { name: 'nothing', content: Buffer.alloc(0) },
    { name: 'zeros', content: Buffer.alloc(100_000) },
  ])('is refused when it is not a zip: $name', async ({ content }, { folder }) => {
    const error = await thrownBy(() => entries(writeZip(folder, content)))
    expect(error).toMatchObject({ kind: 'BUNDLE_INVALID' })
  })

  test('is refused before its entries are read when it claims 20,001', async ({ folder }) => {
    const zip = zipOf([honest])
    zip.writeUInt16LE(20_001, zip.length - 12)
    zip.writeUInt16LE(20_001, zip.length - 14)
    const error = await thrownBy(() => entries(writeZip(folder, zip)))
    expect(error).toMatchObject({ message: 'bundle: expected at most 20000 entries, found 20001' })
  })

  test('is named as a bundle when it is missing', async ({ folder }) => {
    const error = await thrownBy(() => entries(join(folder, 'none.zip')))
    expect(error).toMatchObject({ kind: 'BUNDLE_INVALID', cause: { code: 'ENOENT' } })
  })
})
