/**
 * `causeway image`, as an operator meets it.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causeway, causewayBin, run, start } from '../support/causeway.ts'
import { builtRecipe } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let minimal: { path: string; sha256: string; url: string }
let state = ''

beforeAll(async () => {
  folder = await temporaryFolder()
  const { path, sha256 } = await builtRecipe('minimal')
  minimal = { path, sha256, url: pathToFileURL(path).href }
  state = join(folder.path, 'state')
})
afterAll(() => folder[Symbol.asyncDispose]())

const image = (...args: string[]) => causeway(['image', ...args, '--state', state])
const pull = (...args: string[]) => image('pull', ...args, '--allow-local-images')
const json = async <T>(...args: string[]) => {
  const { stdout, stderr } = await image(...args, '--json')
  expect(stderr).toBe('')
  return JSON.parse(stdout) as T
}

interface Listed {
  sha256: string
  url: string
  diskBytes: number
  inUse: boolean
  trees: { path: string; entries: number }[]
}

describe('pull', () => {
  test('of a URL: fetched, verified, unpacked; then it is there', async () => {
    const first = await pull(minimal.url, minimal.sha256)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain(`sha256 ${minimal.sha256}`)
    expect(first.stdout).toMatch(/fetched and verified\n.* \d+ entries, .*, unpacked/)
    const again = await pull(minimal.url, minimal.sha256, '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({
      sha256: minimal.sha256,
      archive: { fromCache: true, bytes: statSync(minimal.path).size },
      tree: { fromCache: true, entries: expect.any(Number) },
    })
  })

  test('of a manifest, and of a deployment with one', async () => {
    const job = join(folder.path, 'job')
    await mkdir(job)
    const manifest = { version: 1, entrypoint: 'run.sh', image: minimal }
    await writeFile(join(job, 'manifest.json'), JSON.stringify(manifest))
    await writeFile(join(job, 'run.sh'), 'true\n')
    await writeFile(join(job, 'deployment.json'), '{}')
    for (const file of ['manifest.json', 'deployment.json']) {
      const { code, stdout } = await pull(join(job, file))
      expect(code).toBe(0)
      expect(stdout).toContain(minimal.sha256)
    }
  })

  test.for<[string, string[], RegExp]>([
    ['a URL without a digest', ['https://example.com/i.tar.xz'], /expected the sha256/],
    ['a bad digest', ['https://example.com/i.tar.xz', 'abc'], /64 hex digits, found "abc"/],
    ['a file that is not there', ['nothing.json'], /INPUT_UNREADABLE: nothing.json/],
    ['a scheme', ['ftp://example.com/i', 'ab'.repeat(32)], /IMAGE_URL_REFUSED: .* ftp:/],
    ['an address of this host', ['https://127.0.0.1/i', 'ab'.repeat(32)], /IMAGE_URL_REFUSED/],
  ])('refuses %s', async ([, args, message]) => {
    const { code, stderr, stdout } = await image('pull', ...args)
    expect(code).toBe(125)
    expect(stderr).toMatch(message)
    expect(stdout).toBe('')
  })

  test('names the digest that was found', async () => {
    const { code, stderr } = await pull(minimal.url, 'ab'.repeat(32))
    expect(code).toBe(125)
    expect(stderr).toContain(`IMAGE_DIGEST_MISMATCH`)
    expect(stderr).toContain(minimal.sha256)
  })
})

describe('a pull that is killed', () => {
  const archive = () => readFileSync(minimal.path)
  let server: Server
  let url = ''
  let isSlow = true
  const asked: (string | undefined)[] = []
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.headers.range)
      const from = Number(/=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const body = archive().subarray(from)
      const total = archive().length
      response.setHeader('etag', '"minimal"')
      response.setHeader('content-length', body.length)
      if (from > 0) {
        response.writeHead(206, { 'content-range': `bytes ${from}-${total - 1}/${total}` })
      }
      if (isSlow) response.write(body.subarray(0, body.length / 2))
      else response.end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/minimal.tar.xz`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  test('goes on where it was, and a terminal shows that', async () => {
    const other = join(folder.path, 'killed')
    const args = ['image', 'pull', url, minimal.sha256, '--allow-local-images', '--state', other]
    const { child, finished } = start(process.execPath, [causewayBin, ...args])
    const part = join(other, 'images/blobs', `${minimal.sha256}.part`)
    while (!existsSync(part) || statSync(part).size === 0) await new Promise(setImmediate)
    child.kill('SIGKILL')
    await finished
    const { size } = statSync(part)
    expect((await causeway(['image', 'ls', '--state', other])).stdout).toMatch(/part \(/)
    isSlow = false
    const command = [process.execPath, causewayBin, ...args].join(' ')
    const { stdout, code } = await run('script', ['-qec', command, '/dev/null'])
    expect(code).toBe(0)
    expect(asked).toEqual([undefined, `bytes=${size}-`])
    expect(stdout).toMatch(/download .*resumed at/)
    expect(stdout).toContain('fetched and verified')
  })
})

describe('ls and inspect', () => {
  test('show what is there', async () => {
    await pull(minimal.url, minimal.sha256)
    const { stdout } = await image('ls')
    expect(stdout).toMatch(/^SHA256 +SIZE +USED +STATE +FROM\n/)
    expect(stdout).toContain(minimal.sha256.slice(0, 12))
    expect(stdout).toContain('archive, 1 unpacked')
    const [listed] = await json<Listed[]>('ls')
    expect(listed).toMatchObject({ sha256: minimal.sha256, url: minimal.url, inUse: false })
    const shown = await image('inspect', minimal.sha256.slice(0, 6))
    expect(shown.stdout).toContain(`sha256     ${minimal.sha256}`)
    expect(shown.stdout).toContain(listed?.trees[0]?.path)
    expect(await json('inspect', minimal.sha256.slice(0, 6).toUpperCase())).toMatchObject({
      sha256: minimal.sha256,
      archive: { bytes: statSync(minimal.path).size },
    })
  })

  test('an image that is not there: what is', async () => {
    const prefix = minimal.sha256.startsWith('0') ? '1' : '0'
    const { code, stderr } = await image('inspect', prefix)
    expect(code).toBe(125)
    expect(stderr).toContain(`IMAGE_NOT_FOUND: no image begins with ${prefix}; found: `)
    expect(stderr).toContain(minimal.sha256.slice(0, 16))
  })
})

describe('verify', () => {
  test('finds a flipped bit', async () => {
    await pull(minimal.url, minimal.sha256)
    expect(await image('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('✓') })
    const [listed] = await json<Listed[]>('ls')
    const file = join(listed?.trees[0]?.path ?? '', 'etc/passwd')
    const { atime, mtime } = statSync(file)
    const content = readFileSync(file)
    writeFileSync(
      file,
      content.map((byte, index) => (index === 3 ? byte ^ 1 : byte)),
    )
    utimesSync(file, atime, mtime)
    const found = await image('verify', minimal.sha256.slice(0, 8))
    expect(found.code).toBe(1)
    expect(found.stdout).toContain('/etc/passwd has different content')
    const again = await image('verify', '--json')
    expect(again.code).toBe(1)
    expect(JSON.parse(again.stdout)).toMatchObject([
      { sha256: minimal.sha256, problems: [expect.stringContaining('/etc/passwd')] },
    ])
    expect((await image('prune', minimal.sha256)).code).toBe(0)
    await pull(minimal.url, minimal.sha256)
    expect((await image('verify')).code).toBe(0)
  })
})

describe('prune', () => {
  test('takes nothing while the store is small enough, and all when told', async () => {
    await pull(minimal.url, minimal.sha256)
    expect(await json('prune')).toMatchObject({ removed: [] })
    expect(await json('prune', '--all', '--min-age', '1')).toMatchObject({ removed: [] })
    const { stdout } = await image('prune', '--max-bytes', '1000')
    expect(stdout).toContain(`✓ removed ${minimal.sha256.slice(0, 12)}`)
    expect(stdout).toContain('1 image removed')
    expect(await json<Listed[]>('ls')).toEqual([])
  })

  test.for([
    [['--max-bytes', 'much'], 2, 'expected a whole number of bytes'],
    [['--min-age', '-1'], 2, 'expected a number of hours'],
    [['abc', '--all'], 125, 'found both'],
    [['abc'], 125, 'IMAGE_NOT_FOUND'],
  ] as const)('%j is refused', async ([args, code, message]) => {
    const result = await image('prune', ...args)
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(message)
  })

  test('keeps to images.maxCacheBytes when a new image comes', async () => {
    const config = join(folder.path, 'config.toml')
    await writeFile(config, '[images]\nmaxCacheBytes = 1\n')
    const copy = join(folder.path, 'again.tar')
    spawnSync('sh', ['-c', `xz -dc ${minimal.path} > ${copy}`])
    const sha256 = createHash('sha256').update(readFileSync(copy)).digest('hex')
    await pull(minimal.url, minimal.sha256)
    await pull(pathToFileURL(copy).href, sha256, '--config', config)
    expect((await json<Listed[]>('ls')).map((listed) => listed.sha256)).not.toContain(
      minimal.sha256,
    )
  })
})

const hasApt = spawnSync('apt-cache', ['show', 'busybox-static']).status === 0

describe.skipIf(!hasApt)('build (needs apt and its package lists)', () => {
  test('prints path, digest and what goes into a manifest', async () => {
    const output = join(folder.path, 'built.tar.xz')
    const { code, stdout } = await image('build', 'minimal', '--output', output)
    expect(code).toBe(0)
    const sha256 = createHash('sha256').update(readFileSync(output)).digest('hex')
    expect(stdout).toContain(output)
    const lines = /\n( {2}"image": \{[^}]*\})/.exec(stdout)?.[1] ?? ''
    expect(JSON.parse(`{${lines}}`)).toEqual({ image: { url: pathToFileURL(output).href, sha256 } })
    rmSync(output)
    expect(await json('build', 'minimal')).toMatchObject({
      recipe: 'minimal',
      sha256,
      fromCache: true,
      path: expect.stringContaining(join(state, 'images/recipes')),
    })
  })

  test('an unknown recipe names the known ones', async () => {
    const { code, stderr } = await image('build', 'nonsense')
    expect(code).toBe(125)
    expect(stderr).toContain('known: debian, minimal, node, python')
  })
})

test('the help names every command', async () => {
  const { stdout } = await causeway(['image', '--help'])
  for (const name of ['pull', 'ls', 'inspect', 'verify', 'prune', 'build']) {
    expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  }
  expect((await causeway(['image', 'nonsense'])).code).toBe(2)
  expect((await causeway(['image', 'ls', '--nonsense'])).code).toBe(2)
})
