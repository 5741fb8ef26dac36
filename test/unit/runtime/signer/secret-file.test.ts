import { execFileSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  createSecretFile,
  overwriteReplaced,
  readSecretFile,
  replaceSecretFile,
} from '../../../../runtime/src/signer/secret-file.ts'
import { test } from '../../../support/folder-fixture.ts'
import { thrownBy } from '../../../support/thrown.ts'

const isRoot = process.getuid?.() === 0
const read = (file: string, followLink = true) =>
  readSecretFile(file, { maxBytes: 100, followLink })

describe('reading a secret file', () => {
  const secret = (folder: string, content = 'secret', mode = 0o600) => {
    const file = join(folder, 'secret')
    writeFileSync(file, content, { mode })
    return file
  }

  test('returns its bytes in a separate buffer', ({ folder }) => {
    const content = read(secret(folder))
    expect(content.toString()).toBe('secret')
    expect(content.buffer.byteLength).toBe(6)
  })

  test.for([0, 100])('works with %i bytes', (length, { folder }) => {
    expect(read(secret(folder, 'x'.repeat(length)))).toHaveLength(length)
  })

  test('is refused for a file over the limit', async ({ folder }) => {
    const file = secret(folder, 'x'.repeat(101))
    const message = `${file}: expected at most 100 bytes, found 101`
    expect(await thrownBy(() => read(file))).toMatchObject({ message })
  })

  test('follows a link only with followLink', async ({ folder }) => {
    const link = join(folder, 'link')
    symlinkSync(secret(folder), link)
    expect(read(link).toString()).toBe('secret')
    expect(await thrownBy(() => read(link, false))).toMatchObject({ code: 'ELOOP' })
  })

  test('refuses a link to a file that others may read', async ({ folder }) => {
    const link = join(folder, 'link')
    symlinkSync(secret(folder, 'secret', 0o644), link)
    const message = `${link}: expected mode 600, found 644; other users could read it`
    expect(await thrownBy(() => read(link))).toMatchObject({ message })
  })

  test('refuses a fifo without waiting', async ({ folder }) => {
    const fifo = join(folder, 'fifo')
    execFileSync('mkfifo', ['-m', '600', fifo])
    const message = `${fifo}: expected a file, found something else`
    expect(await thrownBy(() => read(fifo))).toMatchObject({ message })
  })

  test('refuses a folder', async ({ folder }) => {
    const other = join(folder, 'folder')
    mkdirSync(other, { mode: 0o700 })
    const message = `${other}: expected a file, found something else`
    expect(await thrownBy(() => read(other))).toMatchObject({ message })
  })

  // Only root can give files away.
  test.runIf(isRoot)("refuses another user's file", async ({ folder }) => {
    const file = secret(folder)
    chownSync(file, 65534, 65534)
    const message = `${file}: expected a file of uid 0 or root, found one of uid 65534`
    expect(await thrownBy(() => read(file))).toMatchObject({ message })
  })
})

describe('writing a secret file', () => {
  test('sets mode 0600 under any umask', ({ folder }) => {
    const before = process.umask(0o777)
    try {
      createSecretFile(join(folder, 'a'), Buffer.from('secret'))
    } finally {
      process.umask(before)
    }
    expect(statSync(join(folder, 'a')).mode & 0o7777).toBe(0o600)
  })

  test.for([
    { name: 'a file', make: linkSync, isThere: true },
    { name: 'a link', make: symlinkSync, isThere: true },
    { name: 'a link to nothing', make: symlinkSync, isThere: false },
  ])('$name stays as it is', async ({ make, isThere }, { folder }) => {
    const [file, target] = [join(folder, 'a'), join(folder, 'target')]
    if (isThere) writeFileSync(target, 'old')
    make(target, file)
    const content = () => readdirSync(folder).map((name) => [name, contentOf(join(folder, name))])
    const before = content()
    const error = await thrownBy(() => createSecretFile(file, Buffer.from('new')))
    expect(error).toMatchObject({ code: 'EEXIST' })
    expect(content()).toEqual(before)
  })

  test('replaces a link, not its target', ({ folder }) => {
    const [file, target] = [join(folder, 'a'), join(folder, 'target')]
    writeFileSync(target, 'old')
    symlinkSync(target, file)
    replaceSecretFile(file, Buffer.from('new'), `${file}.draft`)
    expect([readFileSync(file, 'utf8'), readFileSync(target, 'utf8')]).toEqual(['new', 'old'])
    expect(readdirSync(folder).sort()).toEqual(['a', 'target'])
  })

  test('overwrites the replaced content', ({ folder }) => {
    const file = join(folder, 'a')
    writeFileSync(file, 'old secret')
    const before = openSync(file, 'r')
    try {
      expect(
        overwriteReplaced(file, () => replaceSecretFile(file, Buffer.from('new'), `${file}.draft`)),
      ).toBe(true)
      expect(readFileSync(before)).toEqual(Buffer.alloc(10))
    } finally {
      closeSync(before)
    }
    expect(readFileSync(file, 'utf8')).toBe('new')
  })

  test('keeps and reports replaced content that has another name', ({ folder }) => {
    const [file, other] = [join(folder, 'a'), join(folder, 'b')]
    writeFileSync(file, 'old secret')
    linkSync(file, other)
    expect(
      overwriteReplaced(file, () => replaceSecretFile(file, Buffer.from('new'), `${file}.draft`)),
    ).toBe(false)
    expect(readFileSync(other, 'utf8')).toBe('old secret')
  })
})

function contentOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
