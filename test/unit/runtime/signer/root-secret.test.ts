import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { openRootKeys, unlockRoot } from '../../../../runtime/src/signer/root/open-root.ts'
import { findRoot, rootSecretName } from '../../../../runtime/src/signer/root/root-secret.ts'
import { hex } from '../../../support/hex.ts'
import { test } from '../../../support/folder-fixture.ts'
import { backends } from '../../../support/signer-backends.ts'
import { thrownBy } from '../../../support/thrown.ts'

const isRoot = process.getuid?.() === 0
const module = fileURLToPath(
  new URL('../../../../runtime/src/signer/root/open-root.ts', import.meta.url),
)
const load = async (stateFolder: string, passphraseFile?: string) => {
  const root = await unlockRoot({ stateFolder, ...(passphraseFile && { passphraseFile }) })
  const secret = hex(root.secret)
  root.wipe()
  return secret
}
const writePassphrase = (folder: string, text = 'correct horse\n') => {
  const file = join(folder, 'passphrase')
  writeFileSync(file, text, { mode: 0o600 })
  return file
}
const messageOf = async (run: () => unknown) => ((await thrownBy(run)) as Error).message

beforeEach(() => {
  delete process.env['CREDENTIALS_DIRECTORY']
})
afterEach(() => {
  delete process.env['CREDENTIALS_DIRECTORY']
})

describe('the root secret', () => {
  test('is created once, readable by its owner only', async ({ folder }) => {
    const state = join(folder, 'state')
    const secret = await load(state)
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(secret).not.toMatch(/^(..)\1*$/)
    expect(statSync(join(state, rootSecretName)).mode & 0o777).toBe(0o600)
    expect(statSync(state).mode & 0o777).toBe(0o700)
    expect(await load(state)).toBe(secret)
    expect(readdirSync(state)).toEqual([rootSecretName])
    expect(readFileSync(join(state, rootSecretName)).toString('hex')).toBe(secret)
  })

  test('has mode 0600 under any umask', async ({ folder }) => {
    const before = process.umask(0)
    try {
      await load(folder)
    } finally {
      process.umask(before)
    }
    expect(statSync(join(folder, rootSecretName)).mode & 0o777).toBe(0o600)
  })

  test('differs between two hosts', async ({ folder }) => {
    expect(await load(join(folder, 'a'))).not.toBe(await load(join(folder, 'b')))
  })

  test('is not created by a search for it', ({ folder }) => {
    expect(findRoot(folder)).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })

  test.for(['plain', 'sealed'])(
    'processes that start at once agree: %s',
    { timeout: 60_000 },
    async (how, { folder }) => {
      const state = join(folder, 'state')
      const passphraseFile = how === 'sealed' ? writePassphrase(folder) : undefined
      const script = `
      const { unlockRoot } = await import(${JSON.stringify(module)})
      while (Date.now() < Number(process.argv[2]));
      const options = ${JSON.stringify({ passphraseFile })}
      const { secret } = await unlockRoot({ stateFolder: process.argv[1], ...options })
      console.log(Buffer.from(secret).toString('hex'))`
      const start = String(Date.now() + 1500)
      const args = ['--import', 'tsx', '--input-type=module', '-e', script, state, start]
      const runs = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args))
      const secrets = (await Promise.all(runs)).map(({ stdout }) => stdout.trim())
      const kept = await load(state, passphraseFile)
      expect(secrets).toEqual([kept, kept, kept, kept])
      expect(readdirSync(state)).toEqual([rootSecretName])
    },
  )

  test.for([0, 1, 31, 33, 64])(
    'of %i bytes is refused, and the file stays',
    async (length, { folder }) => {
      const file = join(folder, rootSecretName)
      writeFileSync(file, Buffer.alloc(length, 7), { mode: 0o600 })
      expect(await messageOf(() => load(folder))).toBe(
        `${file}: expected 32 bytes, found ${length}`,
      )
      expect(readFileSync(file)).toHaveLength(length)
    },
  )

  test.for([0o640, 0o604, 0o644, 0o622])('of mode %o is refused', async (mode, { folder }) => {
    const file = join(folder, rootSecretName)
    writeFileSync(file, randomBytes(32))
    chmodSync(file, mode)
    const found = mode.toString(8)
    expect(await messageOf(() => load(folder))).toBe(
      `${file}: expected mode 600, found ${found}; other users could read it`,
    )
  })

  test('of mode 400 is read', async ({ folder }) => {
    const secret = await load(folder)
    chmodSync(join(folder, rootSecretName), 0o400)
    expect(await load(folder)).toBe(secret)
  })

  test('is refused as a link: a change would leave the target with the old secret', async ({
    folder,
  }) => {
    await load(folder)
    const file = join(folder, rootSecretName)
    renameSync(file, join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), file)
    expect(await messageOf(() => load(folder))).toBe(`${file}: expected a file, found a link`)
  })

  test('is refused as a fifo without waiting', async ({ folder }) => {
    const file = join(folder, rootSecretName)
    execFileSync('mkfifo', ['-m', '600', file])
    expect(await messageOf(() => load(folder))).toBe(
      `${file}: expected a file, found something else`,
    )
  })

  // Only root can give files away.
  test.runIf(isRoot)('is refused when the file belongs to another user', async ({ folder }) => {
    await load(folder)
    chownSync(join(folder, rootSecretName), 65534, 65534)
    expect(await messageOf(() => load(folder))).toContain('found one of uid 65534')
  })
})

describe('under a passphrase', () => {
  test('it is created sealed, never in the clear', async ({ folder }) => {
    const passphrase = writePassphrase(folder)
    const state = join(folder, 'state')
    const secret = await load(state, passphrase)
    const content = readFileSync(join(state, rootSecretName), 'utf8')
    expect(content).toMatch(/^\{"causeway":"root-secret"/)
    expect(content).not.toContain(secret)
    expect(statSync(join(state, rootSecretName)).mode & 0o777).toBe(0o600)
    expect(await load(state, passphrase)).toBe(secret)
  })

  test('one newline at the end of the passphrase file is ignored, a second one counts', async ({
    folder,
  }) => {
    const state = join(folder, 'state')
    const secret = await load(state, writePassphrase(folder, 'correct horse'))
    expect(await load(state, writePassphrase(folder, 'correct horse\n'))).toBe(secret)
    const file = join(state, rootSecretName)
    expect(await messageOf(() => load(state, writePassphrase(folder, 'correct horse\n\n')))).toBe(
      `${file}: wrong passphrase, or the file was changed`,
    )
  })

  test('the systemd credential comes before the file', async ({ folder }) => {
    const state = join(folder, 'state')
    const secret = await load(state, writePassphrase(folder))
    process.env['CREDENTIALS_DIRECTORY'] = folder
    writeFileSync(join(folder, 'causeway-root-passphrase'), 'correct horse\n', { mode: 0o400 })
    expect(await load(state, writePassphrase(folder, 'wrong'))).toBe(secret)
    expect(await load(state)).toBe(secret)
  })

  test('a passphrase for an unsealed secret is an error', async ({ folder }) => {
    const state = join(folder, 'state')
    const secret = await load(state)
    const file = join(state, rootSecretName)
    expect(await messageOf(() => load(state, writePassphrase(folder)))).toBe(
      `${file}: a passphrase was given, but this root secret has none; causeway keys passphrase gives it one`,
    )
    expect(await load(state)).toBe(secret)
  })

  test.for([
    { text: '', says: 'expected a passphrase, found none' },
    { text: '\n', says: 'expected a passphrase, found none' },
    { text: 'x'.repeat(1025), says: 'expected at most 1024 bytes, found 1025' },
  ])('a file with $text.length bytes: $says', async ({ text, says }, { folder }) => {
    const file = writePassphrase(folder, text)
    expect(await messageOf(() => load(join(folder, 'state'), file))).toBe(`${file}: ${says}`)
    expect(readdirSync(folder)).toEqual(['passphrase'])
  })

  test('a passphrase file that others may read is refused', async ({ folder }) => {
    const file = writePassphrase(folder)
    chmodSync(file, 0o644)
    expect(await messageOf(() => load(join(folder, 'state'), file))).toBe(
      `${file}: expected mode 600, found 644; other users could read it`,
    )
  })

  test('a missing passphrase file is named in the error', async ({ folder }) => {
    const file = join(folder, 'none')
    const error = await thrownBy(() => load(join(folder, 'state'), file))
    expect(error).toMatchObject({ code: 'ENOENT', path: file })
  })
})

describe('the systemd credential', () => {
  test('takes precedence, and no file is created', async ({ folder }) => {
    const credentials = join(folder, 'credentials')
    mkdirSync(credentials)
    writeFileSync(join(credentials, rootSecretName), Buffer.alloc(32, 9))
    process.env['CREDENTIALS_DIRECTORY'] = credentials
    expect(await load(join(folder, 'state'))).toBe('09'.repeat(32))
    expect(readdirSync(folder)).toEqual(['credentials'])
  })

  test('may be sealed, too', async ({ folder }) => {
    const [state, credentials] = [join(folder, 'state'), join(folder, 'credentials')]
    const passphrase = writePassphrase(folder)
    const secret = await load(state, passphrase)
    mkdirSync(credentials)
    renameSync(join(state, rootSecretName), join(credentials, rootSecretName))
    process.env['CREDENTIALS_DIRECTORY'] = credentials
    expect(await load(state, passphrase)).toBe(secret)
    expect(readdirSync(state)).toEqual([])
  })

  test('with another name is ignored', async ({ folder }) => {
    process.env['CREDENTIALS_DIRECTORY'] = folder
    writeFileSync(join(folder, 'other'), Buffer.alloc(32, 9))
    const state = join(folder, 'state')
    expect(await load(state)).toBe(readFileSync(join(state, rootSecretName)).toString('hex'))
  })

  test.for([0, 31, 33])('of %i bytes is refused', async (length, { folder }) => {
    process.env['CREDENTIALS_DIRECTORY'] = folder
    const file = join(folder, rootSecretName)
    writeFileSync(file, Buffer.alloc(length))
    expect(await messageOf(() => load(join(folder, 'state')))).toBe(
      `${file}: expected 32 bytes, found ${length}`,
    )
  })
})

describe('another root secret than the state folder had', () => {
  const [backend] = backends
  const open = async (stateFolder: string) => {
    const root = await openRootKeys({ backend: backend!, stateFolder })
    root.destroy()
    return hex(root.account)
  }
  const known = (folder: string) => join(folder, 'causeway-root-account')

  test('is refused, until the operator says so', async ({ folder }) => {
    const account = await open(folder)
    const secret = join(folder, rootSecretName)
    writeFileSync(secret, Buffer.alloc(32, 7))
    const error = await thrownBy(() => open(folder))
    expect(error).toMatchObject({ kind: 'ROOT_REPLACED' })
    for (const text of [secret, account, `remove ${known(folder)}`])
      expect((error as Error).message).toContain(text)
    rmSync(known(folder))
    const other = await open(folder)
    expect(other).not.toBe(account)
    expect(readFileSync(known(folder), 'utf8')).toBe(`${other}\n`)
  })

  test('is not made when the first one is gone', async ({ folder }) => {
    await open(folder)
    rmSync(join(folder, rootSecretName))
    expect(await thrownBy(() => open(folder))).toMatchObject({
      kind: 'ROOT_REPLACED',
      message: expect.stringContaining(`${join(folder, rootSecretName)}: expected`) as string,
    })
    expect(readdirSync(folder)).toEqual(['causeway-root-account'])
  })
})

describe.each(backends)('root keys of the $name backend', (backend) => {
  test('depend on the secret only, sealed or not', async ({ folder }) => {
    const [plain, sealed] = [join(folder, 'plain'), join(folder, 'sealed')]
    const passphraseFile = writePassphrase(folder)
    const secret = await load(sealed, passphraseFile)
    mkdirSync(plain)
    writeFileSync(join(plain, rootSecretName), Buffer.from(secret, 'hex'), { mode: 0o600 })
    const accounts = [
      await openRootKeys({ backend, stateFolder: plain }),
      await openRootKeys({ backend, stateFolder: sealed, passphraseFile }),
    ].map((root) => {
      const account = hex(root.account)
      root.destroy()
      return account
    })
    expect(accounts[0]).toBe(accounts[1])
    expect(accounts[0]).toMatch(/^[0-9a-f]{64}$/)
  })
})
