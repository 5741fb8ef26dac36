/** Bad input: every fault gives a clear error of the right kind, and leaves nothing half-made. */
import { createServer } from 'node:http'
import { readdirSync } from 'node:fs'
import { chmod, mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causeway, run } from '../support/causeway.ts'
import { writeDeployment } from '../support/deployment.ts'
import { builtRecipe } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const failed = 125

let image: { url: string; sha256: string }
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let state: string
let counter = 0

beforeAll(async () => {
  // Compressed: the end of a plain archive is padding, without which it is whole.
  const { path, sha256 } = await builtRecipe('python')
  image = { url: pathToFileURL(path).href, sha256 }
  folder = await temporaryFolder()
  state = join(folder.path, 'state')
})
afterAll(() => folder[Symbol.asyncDispose]())

interface Case {
  image?: Partial<typeof image>
  files?: Record<string, string>
  entrypoint?: string
  deployment?: object
  flags?: string[]
}

async function runCase({ image: changed, files, entrypoint, deployment, flags }: Case) {
  const file = await writeDeployment(join(folder.path, `case-${++counter}`), {
    image: { ...image, ...changed },
    files: files ?? { 'job.sh': 'exit 0' },
    ...(entrypoint !== undefined && { entrypoint }),
    ...(deployment && { deployment }),
  })
  const result = await causeway([
    'run',
    file,
    '--state',
    state,
    ...(flags ?? ['--allow-local-images']),
  ])
  return { ...result, file }
}

/**
 * These folders must be empty after every failure; blobs may exist only under their own digest,
 * with their records.
 */
async function expectNothingLeft() {
  expect(readdirSync(join(state, 'deployments'))).toEqual([])
  const blobs = join(state, 'images/blobs')
  for (const file of safeList(blobs)) {
    const name = file.replace(/\.json$/, '')
    const digest = createHash('sha256')
      .update(await readFile(join(blobs, name)))
      .digest('hex')
    expect(name).toBe(digest)
  }
}

function safeList(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

describe('images', () => {
  test('a wrong sha256 names both digests', async () => {
    const wrong = 'ab'.repeat(32)
    const result = await runCase({ image: { sha256: wrong } })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('IMAGE_DIGEST_MISMATCH')
    expect(result.stderr).toContain(wrong)
    expect(result.stderr).toContain(image.sha256)
    await expectNothingLeft()
    expect(safeList(join(state, 'images/blobs'))).toEqual([])
  })

  test.for([1, 1000, 1_000_000])(
    'an archive of %i bytes less than it should have',
    async (missing) => {
      const whole = await readFile(fileURLToPath(image.url))
      const short = join(folder.path, `short-${missing}.tar.xz`)
      await writeFile(short, whole)
      await truncate(short, whole.length - missing)
      const sha256 = createHash('sha256')
        .update(await readFile(short))
        .digest('hex')
      const result = await runCase({ image: { url: pathToFileURL(short).href, sha256 } })
      expect(result.code).toBe(failed)
      expect(result.stderr).toContain('IMAGE_ARCHIVE_INVALID')
      await expectNothingLeft()
    },
  )

  test('a download that ends early is not an image', async () => {
    const content = (await readFile(fileURLToPath(image.url))).subarray(0, 100_000)
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': content.length + 1 })
      response.write(content, () => response.destroy())
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.tar.xz`
    const result = await runCase({ image: { url } })
    server.close()
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('IMAGE_DOWNLOAD_FAILED')
    await expectNothingLeft()
  })

  test.for([
    'file:///etc/passwd',
    'http://127.0.0.1:1/x',
    'http://example.com/x',
    'https://127.0.0.1/x',
    'https://169.254.169.254/latest',
  ])('%s is refused without --allow-local-images', async (url) => {
    const result = await runCase({ image: { url }, flags: [] })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('IMAGE_URL_REFUSED')
    await expectNothingLeft()
  })
})

describe('complete images with wrong content', () => {
  test('a file where our own folder must be', async () => {
    const content = join(folder.path, 'not-right')
    await mkdir(join(content, 'bin'), { recursive: true })
    await writeFile(join(content, '.causeway'), 'mine')
    const archive = join(folder.path, 'not-right.tar')
    await run('tar', ['-cf', archive, '-C', content, '.'])
    const sha256 = createHash('sha256')
      .update(await readFile(archive))
      .digest('hex')
    const result = await runCase({ image: { url: pathToFileURL(archive).href, sha256 } })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain(
      'IMAGE_ARCHIVE_INVALID: /.causeway in the image is not a folder',
    )
    await expectNothingLeft()
  })
})

describe('deployments', () => {
  test('a missing entrypoint is named with the places searched', async () => {
    const result = await runCase({ entrypoint: 'missing.sh' })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain(
      'entrypoint: expected a file of the bundle or an absolute path in the image, found "missing.sh"',
    )
    await expectNothingLeft()
  })

  test('an entrypoint whose interpreter is missing is start-failed', async () => {
    const result = await runCase({ files: { 'job.sh': '#!/no/such/interpreter\n' } })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain(
      'start-failed: /root/job/job.sh: no such file or directory (ENOENT); is its interpreter in the image?',
    )
    await expectNothingLeft()
  })

  test('bad JSON is named with file, line and column', async () => {
    const file = join(folder.path, 'bad.json')
    await writeFile(file, '{\n  "id": "1",\n  "slot": 1 2\n}\n')
    for (const command of [
      ['run', file, '--state', state],
      ['serve', file, '--state', state],
      ['validate', file],
    ]) {
      const result = await causeway(command)
      expect(result.code).not.toBe(0)
      expect(result.stdout + result.stderr).toContain(`${file}:3:13:`)
    }
    await expectNothingLeft()
  })

  test('without a manifest nothing runs', async () => {
    const file = join(folder.path, 'alone.json')
    await writeFile(file, '{}')
    const result = await causeway(['run', file, '--state', state])
    expect(result).toMatchObject({ code: failed })
    expect(result.stderr).toContain('MANIFEST_MISSING')
    await expectNothingLeft()
  })

  test.for([
    { name: 'a folder', path: '.', says: 'expected a deployment file, found a folder' },
    { name: 'nothing', path: 'none.json', says: 'expected a deployment file, found nothing there' },
    {
      name: 'a manifest',
      path: 'manifest.json',
      says: 'expected a deployment file, found a manifest',
    },
  ])('$name is not a deployment file', async ({ path, says }) => {
    const file = await writeDeployment(join(folder.path, `case-${++counter}`), { image, files: {} })
    const named = join(file, '..', path)
    const result = await causeway(['run', named, '--state', state])
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain(`INPUT_UNREADABLE: ${named}: ${says}`)
    await expectNothingLeft()
  })

  test('a missing keys file, before anything is fetched', async () => {
    const result = await runCase({
      deployment: { keys: 'none' },
      image: { sha256: 'ab'.repeat(32) },
    })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('KEYS_INVALID')
    await expectNothingLeft()
  })

  test('a keys file that is a fifo does not hang', async () => {
    const fifo = join(folder.path, 'fifo')
    await run('mkfifo', ['-m', '600', fifo])
    const result = await runCase({ deployment: { keys: fifo } })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain(`KEYS_INVALID: ${fifo}: expected a file`)
  })

  test('a state folder that PRoot cannot name', async () => {
    const path = join(folder.path, 'a:b')
    const result = await runCase({ flags: ['--allow-local-images', '--state', path] })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain(
      `STATE_UNREACHABLE: state folder ${path}: expected a path without ":" and ","`,
    )
  })

  test('an environment that is too large: the variable is named, no value is', async () => {
    const LONG = 'z'.repeat(200_000)
    const result = await runCase({ deployment: { environment: { LONG } } })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('ENVIRONMENT_TOO_LARGE')
    expect(result.stderr).toContain('environment.LONG: expected at most')
    expect(result.stderr).not.toContain('zzz')
  })

  test('a policy that matches no method is an error', async () => {
    const result = await runCase({ deployment: { policy: { methods: ['signer_sing'] } } })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('POLICY_INVALID')
    expect(result.stderr).toContain('"signer_sing"')
    await expectNothingLeft()
  })

  test('no error contains values of the environment', async () => {
    const result = await runCase({ deployment: { environment: { TOKEN: 'hush', WRONG: 7 } } })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('environment.WRONG')
    expect(result.stderr).not.toContain('hush')
    await expectNothingLeft()
  })

  test('a state folder that the job cannot reach', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root gives jobs a uid of their own')
    await using closed = await temporaryFolder()
    await chmod(closed.path, 0o700)
    const flags = ['--allow-local-images', '--state', join(closed.path, 'state')]
    const result = await runCase({ flags })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('STATE_UNREACHABLE')
    expect(result.stderr).toContain(`${closed.path}:`)
    expect(readdirSync(join(closed.path, 'state/deployments'))).toEqual([])
  })

  test('no PRoot on this host', async () => {
    const config = join(folder.path, 'no-proot.toml')
    await writeFile(config, '[sandbox]\nproot = "no-such-proot"\n')
    const result = await runCase({ flags: ['--allow-local-images', '--config', config] })
    expect(result.code).toBe(failed)
    expect(result.stderr).toContain('SANDBOX_UNAVAILABLE')
    expect(result.stderr).toContain('apt-get install proot')
    await expectNothingLeft()
  })
})

describe('calls from inside', () => {
  test('odd hex and an unknown curve are answered with the field and the kind', async () => {
    const job = `#!/usr/bin/env python3
import os, socket
for params in ('{"curve":"p256","bytes":"abc"}', '{"curve":"p384","bytes":"00"}'):
    s = socket.socket(socket.AF_UNIX)
    s.connect("\\0" + os.environ["BRIDGE_SOCKET"])
    s.sendall(b'{"jsonrpc":"2.0","id":1,"method":"signer_sign","params":[' + params.encode() + b']}\\n')
    print(s.makefile().readline(), end="")`
    const result = await runCase({ entrypoint: 'job.py', files: { 'job.py': job } })
    const [oddHex, unknownCurve] = result.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { error: object })
    expect(oddHex?.error).toEqual({
      code: -32602,
      message:
        'signer_sign: bytes: expected hex digits of even length, found an odd number of digits (3)',
      data: { kind: 'INVALID_PARAMS', retryable: false, details: { field: 'bytes' } },
    })
    expect(unknownCurve?.error).toMatchObject({ code: -32602, data: { kind: 'UNSUPPORTED_CURVE' } })
  })
})
