import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  buildRecipe,
  recipeNames,
  unpackImage,
  type BuiltImage,
  type ImageProgress,
} from '../../../images/src/index.ts'
import { takeFromNpm } from '../../../images/src/recipe/npm-package.ts'
import { readRecipe } from '../../../images/src/recipe/recipe.ts'
import { nativePaths } from '../../../native/src/index.ts'
import { isLong } from '../../support/effort.ts'
import { builtRecipe } from '../../support/recipe-image.ts'
import { digestOf, owner } from './image-store-fixture.ts'
import { isRoot, needsRoot } from './temp-folder.ts'

/** Builds take apt, so a Debian host whose package lists are there; without it they skip. */
const hasApt = spawnSync('apt-cache', ['show', 'busybox-static']).status === 0

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-recipes-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program in a root, without any of our environment. */
function inRoot(root: string, ...command: string[]): string {
  const result = spawnSync('chroot', [root, ...command], { env: { PATH: '/usr/bin:/usr/sbin' } })
  expect(result.stderr.toString()).toBe('')
  return result.stdout.toString()
}

const unpacking = { unpacker: nativePaths.unpacker, ...owner }

test('every recipe folder is a recipe', () => {
  const recipes = readdirSync(new URL('../../../images/recipes', import.meta.url))
  expect(recipes.toSorted()).toEqual(recipeNames)
})

test('an unknown recipe names the known ones', async () => {
  await expect(buildRecipe('../minimal', { folder })).rejects.toMatchObject({
    kind: 'IMAGE_BUILD_FAILED',
    message: 'no image recipe "../minimal"; known: debian, minimal, node, python',
  })
})

describe.skipIf(!hasApt)('minimal (needs apt and its package lists)', () => {
  let built: BuiltImage
  const seen: ImageProgress[] = []
  beforeAll(async () => {
    built = await buildRecipe('minimal', { folder, onProgress: (progress) => seen.push(progress) })
  }, 60_000)

  test('is built with progress, and nothing else is left', () => {
    expect(built).toMatchObject({ fromCache: false, bytes: statSync(built.path).size })
    expect(seen.map(({ detail }) => detail).join('; ')).toMatch(
      /^downloading 1 Debian packages; unpacking busybox-static \S+; arranging files; packing$/,
    )
    expect(readdirSync(folder).filter((name) => !name.includes('minimal-'))).toEqual([])
    expect(readdirSync(folder)).toHaveLength(2)
  })

  test('comes from the cache', async () => {
    expect(await buildRecipe('minimal', { folder })).toEqual({ ...built, fromCache: true })
  })

  test('is the same when built again', async () => {
    const again = await buildRecipe('minimal', { folder, refresh: true })
    expect(again).toEqual({ ...built, fromCache: false })
  }, 60_000)

  test('is built again when it is damaged or has no receipt', async () => {
    writeFileSync(built.path, 'damaged')
    expect(await buildRecipe('minimal', { folder })).toEqual(built)
    rmSync(`${built.path}.json`)
    expect(await buildRecipe('minimal', { folder })).toEqual(built)
    expect(JSON.parse(readFileSync(`${built.path}.json`, 'utf8'))).toMatchObject({
      sha256: built.sha256,
      packages: { 'busybox-static': expect.any(String) },
    })
  }, 60_000)

  test('an aborted build leaves nothing', async () => {
    const other = mkdtempSync(join(folder, 'aborted-'))
    const controller = new AbortController()
    const build = buildRecipe('minimal', {
      folder: other,
      signal: controller.signal,
      onProgress: ({ detail }) => detail === 'packing' && controller.abort(new Error('enough')),
    })
    await expect(build).rejects.toThrow('enough')
    expect(readdirSync(other)).toEqual([])
    rmSync(other, { recursive: true })
  }, 60_000)

  test('removes what a killed build left, a day later', async () => {
    const [old, young] = ['old', 'young'].map((name) => join(folder, `x.${name}.staging`))
    for (const path of [old, young]) mkdirSync(path ?? '')
    utimesSync(old ?? '', 1, 1)
    await buildRecipe('minimal', { folder, refresh: true })
    expect(existsSync(old ?? '')).toBe(false)
    expect(existsSync(young ?? '')).toBe(true)
    rmSync(young ?? '', { recursive: true })
  }, 60_000)

  test('says which package apt does not know, and what to type', async () => {
    const other = mkdtempSync(join(folder, 'no-lists-'))
    writeFileSync(join(other, 'apt.conf'), `Dir::State::lists "${other}"; Dir::Cache "${other}";\n`)
    vi.stubEnv('APT_CONFIG', join(other, 'apt.conf'))
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(buildRecipe('minimal', { folder: join(other, 'images') })).rejects.toMatchObject({
      kind: 'IMAGE_BUILD_FAILED',
      message:
        'apt knows no package busybox-static; type: apt-get update (the recipes are for Debian 12)',
    })
    expect(readdirSync(join(other, 'images'))).toEqual([])
    rmSync(other, { recursive: true })
  }, 60_000)

  test.skipIf(!isRoot)(`runs (${needsRoot})`, async () => {
    const root = join(folder, 'minimal-root')
    await unpackImage(built.path, root, unpacking)
    expect(inRoot(root, '/bin/sh', '-c', 'echo $(ls / | head -n 3) && cat /etc/group')).toBe(
      'bin dev etc\nroot:x:0:\nnogroup:x:65534:\n',
    )
  })
})

describe.skipIf(!hasApt || !isRoot)('python (needs apt, and root to run it)', () => {
  let root = ''
  beforeAll(async () => {
    const built = await buildRecipe('python', { folder })
    root = join(folder, 'python-root')
    const { bytes } = await unpackImage(built.path, root, unpacking)
    expect(built.bytes).toBeLessThan(15e6)
    expect(bytes).toBeLessThan(60e6)
  }, 120_000)

  test('imports what jobs use', () => {
    const modules = 'socket, json, hashlib, ssl, asyncio, sqlite3, ctypes, lzma, bz2, zlib, uuid'
    const code = `import ${modules}; print(hashlib.sha256(b'').hexdigest()[:8])`
    expect(inRoot(root, '/usr/bin/python3', '-c', code)).toBe('e3b0c442\n')
  })

  test('trusts the public authorities', () => {
    const code = 'import ssl; print(ssl.create_default_context().cert_store_stats()["x509_ca"])'
    expect(Number(inRoot(root, '/usr/bin/python3', '-c', code))).toBeGreaterThan(50)
  })

  test('every native module of it loads', () => {
    const code = [
      'import glob, importlib, warnings',
      'warnings.simplefilter("ignore")',
      'paths = glob.glob("/usr/lib/python3.*/lib-dynload/*.so")',
      'names = [path.rsplit("/")[-1].split(".")[0] for path in paths]',
      'print(len([importlib.import_module(name) for name in names]) > 20)',
    ].join('\n')
    expect(inRoot(root, '/usr/bin/python3', '-B', '-c', code)).toBe('True\n')
  })

  test('has the folders and modes of a root', () => {
    const modes = (name: string) => (statSync(join(root, name)).mode & 0o7777).toString(8)
    expect(['tmp', 'root', 'dev', 'proc', 'sys', 'etc'].map(modes)).toEqual([
      '1777',
      '700',
      '755',
      '755',
      '755',
      '755',
    ])
    expect(readdirSync(join(root, 'dev'))).toEqual([])
    expect(readFileSync(join(root, 'etc/os-release'), 'utf8')).toContain('Debian')
  })
})

describe.skipIf(!hasApt || !isRoot)('node (needs apt, and root to run it)', () => {
  let root = ''
  beforeAll(async () => {
    root = join(folder, 'node-root')
    await unpackImage((await builtRecipe('node')).path, root, unpacking)
  }, 300_000)

  test('is the one that the recipe names', async () => {
    const { recipe } = await readRecipe('node')
    expect(inRoot(root, '/usr/bin/node', '--version')).toBe(`v${recipe.npm?.version}\n`)
  })

  test('has crypto as jobs use it', () => {
    const code = `console.log(require('node:crypto').createHash('sha256').update('').digest('hex').slice(0, 8))`
    expect(inRoot(root, '/usr/bin/node', '-e', code)).toBe('e3b0c442\n')
  })
})

describe('an npm package', () => {
  /** What npm takes for `<name>@1.0.0`: a folder, so that no registry is asked. */
  function localPackage() {
    const work = mkdtempSync(join(folder, 'npm-'))
    const local = join(work, 'package@1.0.0')
    mkdirSync(local)
    writeFileSync(join(local, 'package.json'), '{"name":"a","version":"1.0.0"}')
    writeFileSync(join(local, 'program'), '#!/bin/sh\n')
    const source = (integrity: string) => ({
      version: '1.0.0',
      packages: { amd64: { name: `file:${join(work, 'package')}`, integrity } },
      take: { 'package/program': 'usr/bin/program' },
    })
    return { work, source }
  }

  test('is taken when its digest is right, and refused when not', async () => {
    const { work, source } = localPackage()
    const take = (integrity: string, name: string) =>
      takeFromNpm(source(integrity), 'amd64', join(work, name), join(work, 'root'), undefined)
    const refused = await take('sha512-wrong', 'one').then(() => 'taken', String)
    const integrity = /has (sha512-\S+), expected sha512-wrong/.exec(refused)?.[1] ?? ''
    expect(existsSync(join(work, 'root'))).toBe(false)
    await take(integrity, 'two')
    expect(statSync(join(work, 'root/usr/bin/program')).mode & 0o777).toBe(0o755)
  }, 60_000)

  test('is for some architectures', async () => {
    const { work, source } = localPackage()
    const taken = takeFromNpm(source('x'), 'riscv64', join(work, 'npm'), work, undefined)
    await expect(taken).rejects.toThrow('no npm package for riscv64, only for amd64')
  })
})

/** Whether scripts of packages can run in namespaces of their own here. */
const hasNamespaces = inNamespaces('/', 'true', []).status === 0

/** Runs a program like the build does: as the root of a user namespace, in `root`. */
function inNamespaces(root: string, program: string, args: readonly string[]) {
  const enter = readFileSync(new URL('../../../images/recipes/debian/enter.pl', import.meta.url))
  const flags = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child']
  const chroot = root === '/' ? [] : ['perl', '-e', enter.toString()]
  return spawnSync('unshare', [...flags, ...chroot, program, ...args], {
    cwd: root,
    ...owner,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
  })
}

describe.skipIf(!hasApt || !hasNamespaces)('debian (needs apt and user namespaces)', () => {
  let built: BuiltImage
  let root = ''
  const atFirst: Record<string, string[]> = {}
  beforeAll(async () => {
    built = await builtRecipe('debian')
    root = join(folder, 'debian-root')
    await unpackImage(built.path, root, unpacking)
    for (const name of ['dev', 'var/lib/apt/lists', 'var/log']) {
      atFirst[name] = readdirSync(join(root, name))
    }
    mkdirSync(join(folder, 'downloads'))
    const args = ['-o', 'APT::Sandbox::User=root', 'download', 'netcat-traditional']
    expect(spawnSync('apt-get', args, { cwd: join(folder, 'downloads') }).status).toBe(0)
  }, 900_000)

  const inDebian = (script: string) => {
    const { stdout, stderr, status } = inNamespaces(root, '/bin/sh', ['-ec', script])
    expect(`${status} ${stderr.toString()}`).toBe('0 ')
    return stdout.toString()
  }

  // Half a minute for what the smaller one tells in every run.
  test.for(isLong ? ['debian'] : [])(
    '%s is the same when built again',
    { timeout: 900_000 },
    async (name) => {
      const again = await buildRecipe(name, { folder: join(folder, 'again') })
      expect(again.sha256).toBe(built.sha256)
      expect(digestOf(readFileSync(again.path))).toBe(built.sha256)
    },
  )

  test('has every package installed, and what their scripts make', () => {
    expect(inDebian('dpkg --audit')).toBe('')
    expect(inDebian("dpkg-query --show --showformat '${db:Status-Abbrev}\\n' | sort -u")).toBe(
      'ii \n',
    )
    expect(inDebian('id -u _apt; readlink -f /usr/bin/awk; ldconfig -p | grep -c libc.so.6')).toBe(
      '42\n/usr/bin/mawk\n1\n',
    )
    const python = 'import ssl; print(ssl.create_default_context().cert_store_stats()["x509_ca"])'
    expect(Number(inDebian(`python3 -c '${python}'`))).toBeGreaterThan(50)
    expect(
      inDebian('python3 -v -c "import json" 2>&1 | grep -c "matches .*/json/__init__.py"'),
    ).toBe('1\n')
  })

  test('installs and removes a package with apt', () => {
    const [file = ''] = readdirSync(join(folder, 'downloads'))
    const target = join(root, 'tmp', 'netcat.deb')
    writeFileSync(target, readFileSync(join(folder, 'downloads', file)), { mode: 0o644 })
    expect(inDebian('apt-get -q -y install /tmp/netcat.deb >/tmp/log 2>&1 || cat /tmp/log')).toBe(
      '',
    )
    expect(inDebian('readlink -f /bin/nc; nc -h 2>&1 | head -n 1')).toMatch(
      /^\/usr\/bin\/nc.traditional\n\[v1/,
    )
    expect(inDebian('apt-get -q -y purge netcat-traditional >/tmp/log 2>&1 || cat /tmp/log')).toBe(
      '',
    )
    expect(inDebian('command -v nc || echo gone')).toBe('gone\n')
  })

  test('names the host’s sources of Debian packages, and nothing else of the host', () => {
    const sources = readFileSync(join(root, 'etc/apt/sources.list.d/debian.sources'), 'utf8')
    expect(sources).toMatch(/^Types: deb\nURIs: \S+\nSuites: \S+\nComponents: .*main/)
    expect(sources).not.toContain('@')
    for (const name of ['etc/hostname', 'etc/resolv.conf', 'etc/machine-id', '.packages']) {
      expect(existsSync(join(root, name)), name).toBe(false)
    }
    expect(atFirst).toEqual({ dev: [], 'var/lib/apt/lists': ['partial'], 'var/log': ['apt'] })
  })

  test('has no file of another time than its packages', () => {
    const list = spawnSync('tar', ['-tvJf', built.path, '--full-time'], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
    const lines = list.stdout.split('\n')
    const days = lines.flatMap((line) => / (\d{4}-\d\d-\d\d) /.exec(line)?.[1] ?? [])
    expect(days.length).toBeGreaterThan(5000)
    expect(new Set(days).size).toBeGreaterThan(10)
    expect(days).not.toContain(statSync(built.path).mtime.toISOString().slice(0, 10))
  })
})
