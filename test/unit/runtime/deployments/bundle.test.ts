import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { base32nopad } from '@scure/base'
import { describe, expect } from 'vitest'
import { emptyCid, openBundle } from '../../../../runtime/src/deployment/bundle.ts'
import { readBundle } from '../../../../runtime/src/deployment/bundle-entries.ts'
import { test } from '../../../support/folder-fixture.ts'
import { thrownBy } from '../../../support/thrown.ts'
import { zipOf } from '../../../support/zip.ts'

const module = fileURLToPath(
  new URL('../../../../runtime/src/deployment/bundle.ts', import.meta.url),
)
const none: ReadonlySet<string> = new Set()

/** A folder with files, created in the given order. */
function makeFolder(path: string, files: Record<string, string>): string {
  mkdirSync(path, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  return path
}

const pack = (path: string, exclude = none) => openBundle(path, `${path}.zip`, exclude)

/** Names and executable marks of the packed files. */
async function packed(path: string, exclude = none): Promise<string[]> {
  const { zipFile } = await pack(path, exclude)
  const names: string[] = []
  for await (const entry of readBundle(zipFile)) {
    names.push(entry.executable ? `${entry.path}*` : entry.path)
  }
  return names
}

const files = { 'manifest.json': '{}', 'job.sh': 'echo', 'lib/a.txt': 'a', 'lib/deep/b.txt': 'b' }

describe('the CID of a bundle', () => {
  test('of an empty bundle', () => {
    expect(emptyCid).toBe('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
  })

  test('of a zip is CIDv1, raw, with the sha2-256 of its bytes', async ({ folder }) => {
    const zipFile = join(folder, 'a.zip')
    const content = zipOf([{ name: 'manifest.json', content: '{}' }])
    writeFileSync(zipFile, content)
    const digest = createHash('sha256').update(content).digest()
    const bytes = Buffer.concat([Buffer.from('01551220', 'hex'), digest])
    const cid = `b${base32nopad.encode(bytes).toLowerCase()}`
    expect(await openBundle(zipFile, join(folder, 'unused.zip'), none)).toEqual({ zipFile, cid })
  })

  test('of a folder does not depend on times, read permissions or order', async ({ folder }) => {
    const one = makeFolder(join(folder, 'one'), files)
    const two = makeFolder(join(folder, 'two'), Object.fromEntries(Object.entries(files).reverse()))
    utimesSync(join(two, 'job.sh'), new Date(2001, 1, 1), new Date(2001, 1, 1))
    chmodSync(join(two, 'job.sh'), 0o600)
    const [first, second] = [await pack(one), await pack(two)]
    expect(second.cid).toBe(first.cid)
    expect(readFileSync(second.zipFile)).toEqual(readFileSync(first.zipFile))
  })

  test.for(['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia', 'Africa/Monrovia'])(
    'of a folder is the same in %s',
    async (zone, { folder }) => {
      const path = makeFolder(join(folder, 'job'), files)
      const { cid } = await pack(path)
      // In a separate process: the entries' time is computed when modules are loaded.
      const script = `
        const { openBundle } = await import(${JSON.stringify(module)})
        console.log((await openBundle(process.argv[1], process.argv[2], new Set())).cid)`
      const args = ['--import', 'tsx', '--input-type=module', '-e', script]
      const again = execFileSync(process.execPath, [...args, path, join(folder, 'again.zip')], {
        env: { ...process.env, TZ: zone },
      })
      expect(again.toString().trim()).toBe(cid)
    },
  )

  test.for([
    { name: 'a byte', change: (path: string) => writeFileSync(join(path, 'job.sh'), 'ecHo') },
    { name: 'a name', change: (path: string) => renameSync(join(path, 'job.sh'), join(path, 'j')) },
    { name: 'a mark', change: (path: string) => chmodSync(join(path, 'job.sh'), 0o755) },
    { name: 'a file more', change: (path: string) => writeFileSync(join(path, 'new'), '') },
  ])('of a folder changes with $name', async ({ change }, { folder }) => {
    const path = makeFolder(join(folder, 'job'), files)
    const { cid } = await pack(path)
    change(path)
    expect((await pack(path)).cid).not.toBe(cid)
  })
})

describe('what goes into a bundle', () => {
  test('every file in one order, with its executable mark', async ({ folder }) => {
    const path = makeFolder(join(folder, 'job'), files)
    chmodSync(join(path, 'job.sh'), 0o755)
    expect(await packed(path)).toEqual(['job.sh*', 'lib/a.txt', 'lib/deep/b.txt', 'manifest.json'])
  })

  test('not the deployment file, its keys, or .git', async ({ folder }) => {
    const path = makeFolder(join(folder, 'job'), {
      ...files,
      'deployment.json': 'secret',
      'keys/keys.json': 'secret',
      '.git/config': 'x',
      'lib/.git/config': 'x',
      '.gitignore': 'x',
    })
    const exclude = new Set([join(path, 'deployment.json'), join(path, 'keys/keys.json')])
    expect(await packed(path, exclude)).toEqual([
      '.gitignore',
      'job.sh',
      'lib/a.txt',
      'lib/deep/b.txt',
      'manifest.json',
    ])
  })

  test.for([
    { name: 'the bundle', bundle: 'link', secret: 'job/deployment.json' },
    { name: 'the secret', bundle: 'job', secret: 'link/deployment.json' },
  ])('not even when $name is named through a link', async ({ bundle, secret }, { folder }) => {
    makeFolder(join(folder, 'job'), { ...files, 'deployment.json': 'secret' })
    symlinkSync('job', join(folder, 'link'))
    const exclude = new Set([join(folder, secret)])
    expect(await packed(join(folder, bundle), exclude)).not.toContain('deployment.json')
  })

  test('neither a link to the keys nor its target', async ({ folder }) => {
    const path = makeFolder(join(folder, 'job'), { 'manifest.json': '{}', 'deep/keys': 'secret' })
    symlinkSync('deep/keys', join(path, 'keys.json'))
    expect(await packed(path, new Set([join(path, 'keys.json')]))).toEqual(['manifest.json'])
  })

  test('a missing secret file changes nothing', async ({ folder }) => {
    const path = makeFolder(join(folder, 'job'), { 'manifest.json': '{}' })
    expect(await packed(path, new Set([join(folder, 'none')]))).toEqual(['manifest.json'])
  })

  test('names in any script', async ({ folder }) => {
    const path = makeFolder(join(folder, 'job'), { 'é€😀 a.txt': 'x', '#!%': 'y' })
    expect(await packed(path)).toEqual(['#!%', 'é€😀 a.txt'])
  })

  test('an empty folder makes an empty bundle', async ({ folder }) => {
    expect(await packed(makeFolder(join(folder, 'job'), {}))).toEqual([])
  })
})

describe('what is refused', () => {
  const link = 'expected a plain file, found a link or special file'
  test.for([
    { name: 'a link to a file', target: 'manifest.json' },
    { name: 'a link out of the folder', target: '/etc/passwd' },
    { name: 'a link to a folder', target: '/usr/lib' },
    { name: 'a link to the folder itself', target: '.' },
    { name: 'a link to nothing', target: 'nowhere' },
  ])('$name', async ({ target }, { folder }) => {
    const path = makeFolder(join(folder, 'job'), { 'manifest.json': '{}' })
    symlinkSync(target, join(path, 'link'))
    expect(await thrownBy(() => pack(path))).toMatchObject({
      name: 'StartError',
      kind: 'BUNDLE_INVALID',
      message: `bundle: ${join(path, 'link')}: ${link}`,
    })
  })

  test('a pipe', async ({ folder }) => {
    const path = makeFolder(join(folder, 'job'), {})
    execFileSync('mkfifo', [join(path, 'pipe')])
    expect(await thrownBy(() => pack(path))).toMatchObject({
      kind: 'BUNDLE_INVALID',
      message: `bundle: ${join(path, 'pipe')}: ${link}`,
    })
  })

  test.for([{ name: 'a\\b' }, { name: '..\\up' }])(
    'a name that a zip cannot hold: $name',
    async ({ name }, { folder }) => {
      const path = makeFolder(join(folder, 'job'), {})
      writeFileSync(join(path, name), '')
      expect(await thrownBy(() => pack(path))).toMatchObject({ kind: 'BUNDLE_INVALID' })
    },
  )

  test('a name that is not UTF-8', async ({ folder }) => {
    const path = makeFolder(join(folder, 'job'), {})
    writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.of(0xff)]), '')
    expect(await thrownBy(() => pack(path))).toMatchObject({ kind: 'BUNDLE_INVALID' })
  })

  test('a file whose size is wrong', async ({ folder }) => {
    const zipFile = join(folder, 'bundle.zip')
    // Files of 0 bytes that have content.
    const error = await thrownBy(() => openBundle('/proc/sys/fs/inotify', zipFile, none))
    expect(error).toMatchObject({ kind: 'BUNDLE_INVALID' })
  })

  test('a missing bundle', async ({ folder }) => {
    const path = join(folder, 'none')
    const error = await thrownBy(() => pack(path))
    expect(error).toMatchObject({ kind: 'BUNDLE_INVALID', cause: { code: 'ENOENT' } })
    expect((error as Error).message).toContain(path)
  })

  test('an unwritable path for the zip', async ({ folder }) => {
    const path = makeFolder(join(folder, 'job'), files)
    const zipFile = join(folder, 'no/such/folder.zip')
    expect(await thrownBy(() => openBundle(path, zipFile, none))).toMatchObject({ code: 'ENOENT' })
  })
})
