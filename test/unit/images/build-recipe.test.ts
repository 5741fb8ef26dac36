import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
import { copyHostNode } from '../../../images/src/recipe/host-node.ts'
import { builtRecipe } from '../../support/recipe-image.ts'
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

test('every recipe folder is a recipe', () => {
  const recipes = readdirSync(new URL('../../../images/recipes', import.meta.url))
  expect(recipes.toSorted()).toEqual(recipeNames)
})

test('a Node without its libraries is no image', async () => {
  const root = mkdtempSync(join(folder, 'no-libraries-'))
  const copied = copyHostNode(root, 'node')
  await expect(copied).rejects.toThrow(/needs .*libc\.so.*; expected an official build of Node/)
  rmSync(root, { recursive: true })
})

test('an unknown recipe names the known ones', async () => {
  await expect(buildRecipe('../minimal', { folder })).rejects.toMatchObject({
    kind: 'IMAGE_BUILD_FAILED',
    message: 'no image recipe "../minimal"; known: minimal, node, python',
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

  test('comes from the cache, quickly', async () => {
    const start = performance.now()
    expect(await buildRecipe('minimal', { folder })).toEqual({ ...built, fromCache: true })
    expect(performance.now() - start).toBeLessThan(300)
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
    await unpackImage(built.path, root)
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
    const { bytes } = await unpackImage(built.path, root)
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
    await unpackImage((await builtRecipe('node')).path, root)
  }, 300_000)

  test('is the Node that built it', () => {
    expect(inRoot(root, '/usr/bin/node', '--version')).toBe(`${process.version}\n`)
  })

  test('has crypto as jobs use it', () => {
    const code = `console.log(require('node:crypto').createHash('sha256').update('').digest('hex').slice(0, 8))`
    expect(inRoot(root, '/usr/bin/node', '-e', code)).toBe('e3b0c442\n')
  })
})
