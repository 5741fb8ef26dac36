import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  makeFolderInRoot,
  resolveInRoot,
  writeInRoot,
  writeResolvConf,
} from '../../../images/src/index.ts'
import { hasNameserver } from '../../../images/src/root/resolv-conf.ts'
import { isRoot, needsRoot, test as base } from './temp-folder.ts'

const ours = ['8.8.8.8', '8.8.4.4', '1.1.1.1', '1.0.0.1', '9.9.9.9']
const ourFile = ours.map((address) => `nameserver ${address}\n`).join('')

/** `root` with etc in it, and `outside` beside it, which nothing may touch. */
const test = base.extend<{ root: string; outside: string }>({
  root: async ({ folder }, use) => {
    mkdirSync(join(folder, 'root/etc'), { recursive: true })
    await use(join(folder, 'root'))
  },
  outside: async ({ folder }, use) => {
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'resolv.conf'), 'nameserver 127.0.0.1\n')
    await use(outside)
    expect(readdirSync(outside)).toEqual(['resolv.conf'])
    expect(readFileSync(join(outside, 'resolv.conf'), 'utf8')).toBe('nameserver 127.0.0.1\n')
  },
})

describe('resolveInRoot', () => {
  test('follows links as the guest would', async ({ root, outside }) => {
    mkdirSync(join(root, 'usr/lib'), { recursive: true })
    writeFileSync(join(root, 'usr/lib/x'), '')
    symlinkSync('usr/lib', join(root, 'lib'))
    symlinkSync('/lib', join(root, 'abs'))
    symlinkSync('../../../../usr', join(root, 'etc/climb'))
    symlinkSync(outside, join(root, 'out'))
    symlinkSync('/etc/none', join(root, 'dangling'))
    symlinkSync('loop2', join(root, 'loop1'))
    symlinkSync('loop1', join(root, 'loop2'))
    const cases: Record<string, string | undefined> = {
      '/': '',
      '': '',
      '/etc': 'etc',
      'etc/': 'etc',
      '//etc/./x': 'etc/x',
      '/../../etc': 'etc',
      '/etc/../../usr': 'usr',
      '/lib/x': 'usr/lib/x',
      '/abs/x': 'usr/lib/x',
      '/abs/..': 'usr',
      '/etc/climb/lib': 'usr/lib',
      '/dangling': 'etc/none',
      '/usr/lib/missing': 'usr/lib/missing',
      '/usr/missing/x': undefined,
      '/usr/lib/x/y': undefined,
      '/usr/lib/x/..': undefined,
      '/missing/..': undefined,
      '/dangling/x': undefined,
      '/loop1': undefined,
      '/loop1/x': undefined,
      '/out/resolv.conf': undefined,
      [`/${'n'.repeat(300)}`]: undefined,
    }
    for (const [path, expected] of Object.entries(cases)) {
      const found = resolveInRoot(root, path)
      expect([path, found]).toEqual([
        path,
        expected === undefined ? undefined : join(root, expected),
      ])
    }
  })

  test('40 links are followed, 41 are not', async ({ root }) => {
    symlinkSync('etc', join(root, 'l0'))
    for (let n = 1; n <= 40; n++) symlinkSync(`l${n - 1}`, join(root, `l${n}`))
    expect(resolveInRoot(root, 'l39')).toBe(join(root, 'etc'))
    expect(resolveInRoot(root, 'l40')).toBeUndefined()
  })
})

describe('writeInRoot', () => {
  test('creates folders, and the exact mode', async ({ root }) => {
    const path = await writeInRoot(root, '/root/job/main.sh', 'x', { mode: 0o777 })
    expect(path).toBe(join(root, 'root/job/main.sh'))
    expect(statSync(path).mode & 0o7777).toBe(0o777)
    expect(readFileSync(path, 'utf8')).toBe('x')
  })

  test('replaces a symlink instead of following it', async ({ root, outside }) => {
    symlinkSync(join(outside, 'resolv.conf'), join(root, 'etc/f'))
    const path = await writeInRoot(root, 'etc/f', Buffer.from('new'))
    expect(lstatSync(path).isFile()).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('new')
  })

  test('breaks a hard link instead of writing through it', async ({ root, folder }) => {
    writeFileSync(join(folder, 'other'), 'old')
    spawnSync('ln', [join(folder, 'other'), join(root, 'etc/f')])
    await writeInRoot(root, 'etc/f', 'new')
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('old')
  })

  test('stays inside when folders are links', async ({ root, outside }) => {
    symlinkSync(outside, join(root, 'out'))
    symlinkSync('../../..', join(root, 'etc/up'))
    await expect(writeInRoot(root, 'out/x', '')).rejects.toMatchObject({
      kind: 'IMAGE_ARCHIVE_INVALID',
    })
    expect(await writeInRoot(root, 'etc/up/outside/x', '')).toBe(join(root, 'outside/x'))
    expect(await writeInRoot(root, '../../outside/y', '')).toBe(join(root, 'outside/y'))
  })

  test('refuses what cannot be a file', async ({ root }) => {
    writeFileSync(join(root, 'file'), '')
    mkdirSync(join(root, 'full/x'), { recursive: true })
    mkdirSync(join(root, 'empty'))
    await expect(writeInRoot(root, 'file/x', '')).rejects.toThrow('/file in the image')
    await expect(writeInRoot(root, 'full', '')).rejects.toThrow('folder with content')
    expect(await writeInRoot(root, 'empty', '')).toBe(join(root, 'empty'))
    for (const path of ['', '/', '.', 'etc/..']) {
      await expect(writeInRoot(root, path, '')).rejects.toBeInstanceOf(TypeError)
    }
  })

  test.skipIf(!isRoot)(`gives what it makes to the owner (${needsRoot})`, async ({ root }) => {
    const owner = { uid: 61_234, gid: 61_235 }
    const path = await writeInRoot(root, 'a/b', '', { owner })
    expect(statSync(path)).toMatchObject(owner)
    expect(statSync(join(root, 'a'))).toMatchObject(owner)
    expect(statSync(root).uid).toBe(0)
  })

  test('makeFolderInRoot follows links and creates the rest', async ({ root }) => {
    mkdirSync(join(root, 'usr'))
    symlinkSync('usr/local', join(root, 'opt'))
    expect(makeFolderInRoot(root, '/opt/a/b')).toBe(join(root, 'usr/local/a/b'))
    expect(makeFolderInRoot(root, '/')).toBe(root)
  })
})

describe('writeResolvConf (runtime spec, sandbox defaults)', () => {
  const read = (root: string) => readFileSync(join(root, 'etc/resolv.conf'), 'utf8')

  test.for([
    'nameserver 127.0.0.53\n',
    'nameserver 127.0.0.1\nnameserver ::1\n',
    '# nameserver 8.8.8.8\n',
    'search example\n',
    'nameserver\nnameserver example\n',
    '',
  ])('replaces %j', async (text, { root }) => {
    writeFileSync(join(root, 'etc/resolv.conf'), text)
    await writeResolvConf(root)
    expect(read(root)).toBe(ourFile)
  })

  test.for([
    'nameserver 10.0.0.2\n',
    'nameserver 127.0.0.1\nnameserver\t2606:4700::1111\n',
    'search x\nnameserver fe80::1%eth0',
  ])('keeps %j', async (text, { root }) => {
    writeFileSync(join(root, 'etc/resolv.conf'), text)
    await writeResolvConf(root)
    expect(read(root)).toBe(text)
  })

  test('creates the file, and /etc', async ({ folder }) => {
    await writeResolvConf(folder)
    expect(read(folder)).toBe(ourFile)
    expect(statSync(join(folder, 'etc/resolv.conf')).mode & 0o777).toBe(0o644)
  })

  test('keeps a usable file behind a link in the root', async ({ root }) => {
    mkdirSync(join(root, 'run'))
    writeFileSync(join(root, 'run/resolv.conf'), 'nameserver 10.0.0.2\n')
    symlinkSync('/run/resolv.conf', join(root, 'etc/resolv.conf'))
    await writeResolvConf(root)
    expect(lstatSync(join(root, 'etc/resolv.conf')).isSymbolicLink()).toBe(true)
  })

  test.for(['/run/systemd/resolve/stub-resolv.conf', '/none', 'resolv.conf', '../..', 'OUT'])(
    'replaces a link to %s by a file',
    async (target, { root, outside }) => {
      const link = target === 'OUT' ? join(outside, 'resolv.conf') : target
      symlinkSync(link, join(root, 'etc/resolv.conf'))
      await writeResolvConf(root)
      expect(lstatSync(join(root, 'etc/resolv.conf')).isFile()).toBe(true)
      expect(read(root)).toBe(ourFile)
    },
  )

  test('a fifo does not hold it up', async ({ root }) => {
    spawnSync('mkfifo', [join(root, 'etc/resolv.conf')])
    await writeResolvConf(root)
    expect(read(root)).toBe(ourFile)
  })

  test('etc as a link outside stays inside', async ({ folder, outside }) => {
    symlinkSync(outside, join(folder, 'etc'))
    await expect(writeResolvConf(folder)).rejects.toMatchObject({ kind: 'IMAGE_ARCHIVE_INVALID' })
  })

  test('etc as a link inside is followed', async ({ folder }) => {
    symlinkSync('/config', join(folder, 'etc'))
    await writeResolvConf(folder)
    expect(readFileSync(join(folder, 'config/resolv.conf'), 'utf8')).toBe(ourFile)
  })

  test('etc as a file is refused', async ({ folder }) => {
    writeFileSync(join(folder, 'etc'), '')
    await expect(writeResolvConf(folder)).rejects.toThrow('/etc in the image is not a folder')
  })

  test('hasNameserver', () => {
    expect(hasNameserver('nameserver ::ffff:127.0.0.1')).toBe(false)
    expect(hasNameserver('nameserver 0.0.0.0\nnameserver ::\nnameserver 0::0%eth0')).toBe(false)
    expect(hasNameserver('nameserver 0.0.0.0\nnameserver 192.0.2.1')).toBe(true)
    expect(hasNameserver(' nameserver 8.8.8.8')).toBe(false)
  })
})
