import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect } from 'vitest'
import { loadRootSecret, rootSecretName } from '../../../../runtime/src/signer/root-secret.ts'
import { hex } from '../../../support/hex.ts'
import { test } from '../../../support/folder-fixture.ts'
import { thrownBy } from '../../../support/thrown.ts'

const module = fileURLToPath(
  new URL('../../../../runtime/src/signer/root-secret.ts', import.meta.url),
)

afterEach(() => {
  delete process.env['CREDENTIALS_DIRECTORY']
})

describe('the root secret', () => {
  test('is made once, for its owner only', ({ folder }) => {
    const state = join(folder, 'state')
    const secret = loadRootSecret(state)
    expect(secret).toHaveLength(32)
    expect(new Set(secret).size).toBeGreaterThan(1)
    expect(statSync(join(state, rootSecretName)).mode & 0o777).toBe(0o600)
    expect(statSync(state).mode & 0o777).toBe(0o700)
    expect(hex(loadRootSecret(state))).toBe(hex(secret))
    expect(readdirSync(state)).toEqual([rootSecretName])
  })

  test('has its mode whatever the umask', ({ folder }) => {
    const before = process.umask(0)
    try {
      loadRootSecret(folder)
    } finally {
      process.umask(before)
    }
    expect(statSync(join(folder, rootSecretName)).mode & 0o777).toBe(0o600)
  })

  test('two hosts do not share', ({ folder }) => {
    const [one, other] = [loadRootSecret(join(folder, 'a')), loadRootSecret(join(folder, 'b'))]
    expect(hex(one)).not.toBe(hex(other))
  })

  test('zeroing what was loaded leaves the file', ({ folder }) => {
    const secret = loadRootSecret(folder)
    const before = hex(secret)
    secret.fill(0)
    expect(hex(loadRootSecret(folder))).toBe(before)
  })

  test('processes that start at once agree', async ({ folder }) => {
    const script = `
      const { loadRootSecret } = await import(${JSON.stringify(module)})
      while (Date.now() < Number(process.argv[2]));
      console.log(Buffer.from(loadRootSecret(process.argv[1])).toString('hex'))`
    const start = String(Date.now() + 1500)
    const args = ['--import', 'tsx', '--input-type=module', '-e', script, folder, start]
    const runs = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args))
    const secrets = (await Promise.all(runs)).map(({ stdout }) => stdout.trim())
    const inFile = readFileSync(join(folder, rootSecretName)).toString('hex')
    expect(secrets).toEqual([inFile, inFile, inFile, inFile])
    expect(readdirSync(folder)).toEqual([rootSecretName])
  }, 30_000)

  test.for([0, 1, 31, 33, 64])('of %i bytes is refused and kept', async (length, { folder }) => {
    const file = join(folder, rootSecretName)
    writeFileSync(file, Buffer.alloc(length, 7), { mode: 0o600 })
    const error = await thrownBy(() => loadRootSecret(folder))
    expect(error).toMatchObject({ message: `${file}: expected 32 bytes, found ${length}` })
    expect(readFileSync(file)).toHaveLength(length)
  })

  test.for([0o640, 0o604, 0o644, 0o622])('of mode %o is refused', async (mode, { folder }) => {
    const file = join(folder, rootSecretName)
    writeFileSync(file, randomBytes(32))
    chmodSync(file, mode)
    const found = mode.toString(8)
    expect(await thrownBy(() => loadRootSecret(folder))).toMatchObject({
      message: `${file}: expected mode 600, found ${found}; other users could read it`,
    })
  })

  test('of mode 400 is read', ({ folder }) => {
    const secret = loadRootSecret(folder)
    chmodSync(join(folder, rootSecretName), 0o400)
    expect(hex(loadRootSecret(folder))).toBe(hex(secret))
  })
})

describe('the systemd credential', () => {
  test('wins, and no file is made', ({ folder }) => {
    const credentials = join(folder, 'credentials')
    mkdirSync(credentials)
    writeFileSync(join(credentials, rootSecretName), Buffer.alloc(32, 9))
    process.env['CREDENTIALS_DIRECTORY'] = credentials
    const state = join(folder, 'state')
    expect(hex(loadRootSecret(state))).toBe('09'.repeat(32))
    expect(readdirSync(folder)).toEqual(['credentials'])
  })

  test('of another name is not taken', ({ folder }) => {
    process.env['CREDENTIALS_DIRECTORY'] = folder
    writeFileSync(join(folder, 'other'), Buffer.alloc(32, 9))
    const state = join(folder, 'state')
    expect(hex(loadRootSecret(state))).toBe(
      readFileSync(join(state, rootSecretName)).toString('hex'),
    )
  })

  test.for([0, 31, 33])('of %i bytes is refused', async (length, { folder }) => {
    process.env['CREDENTIALS_DIRECTORY'] = folder
    const file = join(folder, rootSecretName)
    writeFileSync(file, Buffer.alloc(length))
    const state = join(folder, 'state')
    const message = `${file}: expected 32 bytes, found ${length}`
    expect(await thrownBy(() => loadRootSecret(state))).toMatchObject({ message })
  })
})
