/** Reports of `causeway doctor` about hosts that work and hosts that do not. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { causeway, causewayBin, run } from '../support/causeway.ts'
import { test } from '../support/folder-fixture.ts'

interface Finding {
  name: string
  status: 'ok' | 'warning' | 'failure'
  detail: string
  remedy?: string
}

const rootName = 'causeway-root-secret'
const isRoot = process.getuid?.() === 0

async function doctor(state: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const options = { env: { ...process.env, ...env } }
  const ended = await causeway(['doctor', '--json', '--state', state, ...args], options)
  const { ok, findings } = JSON.parse(ended.stdout) as { ok: boolean; findings: Finding[] }
  const named = (name: string) => findings.find((finding) => finding.name === name)!
  return { ...ended, ok, findings, named }
}

function writeConfig(folder: string, toml: string): string[] {
  const file = join(folder, 'config.toml')
  writeFileSync(file, toml)
  return ['--config', file]
}

describe('doctor', () => {
  test('names every part of a working host, and creates no secret', async ({ folder }) => {
    const { code, ok, stderr, findings, named } = await doctor(folder)
    expect([code, ok, stderr]).toEqual([0, true, ''])
    expect(findings.map(({ name }) => name)).toEqual([
      'Node',
      'state folder',
      'root secret',
      'signer',
      'memory of keys',
      'process',
      'PRoot',
      'confinement',
      'limits of jobs',
      "host's limits",
      'network of jobs',
    ])
    expect(named('Node')).toEqual({ name: 'Node', status: 'ok', detail: process.versions.node })
    expect(named('state folder').detail).toBe(folder)
    expect(named('root secret')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^not made yet/) as string,
    })
    expect(named('signer')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^native: OpenSSL 3/) as string,
    })
    expect(named('process').detail).toBe('not dumpable, no core files')
    expect(readdirSync(folder)).not.toContain(rootName)
  })

  test('for a person: a mark for each part, and what to do', async ({ folder }) => {
    writeFileSync(join(folder, rootName), Buffer.alloc(32, 7), { mode: 0o600 })
    const { code, stdout } = await causeway(['doctor', '--state', folder])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^✓ Node +\d+\.\d+\.\d+$/m)
    expect(stdout).toMatch(/^! root secret +\S+, in the clear\n +→ causeway keys passphrase/m)
    expect(stdout).not.toContain('\x07')
  })

  test('how the root secret is kept', async ({ folder }) => {
    const state = join(folder, 'state')
    const passphrase = join(folder, 'passphrase')
    writeFileSync(passphrase, 'correct horse', { mode: 0o600 })
    await causeway(['keys', 'passphrase', '--new-passphrase-file', passphrase, '--state', state])
    const file = join(state, rootName)
    const sealed = await doctor(state)
    expect(sealed.named('root secret')).toMatchObject({
      status: 'ok',
      detail: `${file}, sealed under a passphrase`,
    })
    const opened = await doctor(state, ['--passphrase-file', passphrase])
    expect(opened.named('root secret')).toMatchObject({
      status: 'ok',
      detail: `${file}, sealed under the passphrase that was given`,
    })
    writeFileSync(passphrase, 'wrong')
    const wrong = await doctor(state, ['--passphrase-file', passphrase])
    expect([wrong.code, wrong.ok]).toEqual([1, false])
    expect(wrong.named('root secret')).toMatchObject({
      status: 'failure',
      detail: `${file}: wrong passphrase, or the file was changed`,
    })
  })

  test('in a systemd credential', async ({ folder }) => {
    writeFileSync(join(folder, rootName), Buffer.alloc(32, 7), { mode: 0o400 })
    const state = join(folder, 'state')
    const { named } = await doctor(state, [], { CREDENTIALS_DIRECTORY: folder })
    expect(named('root secret')).toMatchObject({
      status: 'ok',
      detail: `${join(folder, rootName)}, a systemd credential`,
    })
  })

  test.for([
    { name: 'with 31 bytes', bytes: 31, mode: 0o600, says: 'expected 32 bytes, found 31' },
    { name: 'readable by others', bytes: 32, mode: 0o644, says: 'expected mode 600, found 644' },
  ])('a root secret $name', async ({ bytes, mode, says }, { folder }) => {
    const file = join(folder, rootName)
    writeFileSync(file, Buffer.alloc(bytes, 7))
    chmodSync(file, mode)
    const { code, named } = await doctor(folder)
    expect(code).toBe(1)
    expect(named('root secret')).toMatchObject({ status: 'failure' })
    expect(named('root secret').detail).toContain(`${file}: ${says}`)
    expect(readFileSync(file)).toEqual(Buffer.alloc(bytes, 7))
  })

  test('a signer that is not native, and the consequence for keys', async ({ folder }) => {
    const config = writeConfig(folder, '[signer]\nbackend = "portable"')
    const { code, named } = await doctor(folder, config)
    expect(code).toBe(0)
    expect(named('signer')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/^portable: noble/) as string,
    })
    expect(named('memory of keys')).toMatchObject({ status: 'warning' })
    expect(named('memory of keys').detail).toContain('may be swapped out')
  })

  // Root may lock any amount.
  test.runIf(isRoot)('memory that cannot be locked', async ({ folder }) => {
    const script = 'ulimit -l 0; exec setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock "$@"'
    const command = [process.execPath, causewayBin, 'doctor', '--json', '--state', folder]
    const { stdout } = await run('bash', ['-c', script, 'bash', ...command])
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    expect(findings.find(({ name }) => name === 'memory of keys')).toMatchObject({
      status: 'warning',
      detail: 'may be swapped out: this process may lock 0 bytes',
      remedy: expect.stringMatching(/RLIMIT_MEMLOCK/) as string,
    })
  })

  describe('no PRoot', () => {
    const withoutProot = (folder: string, backend: string) =>
      doctor(
        folder,
        writeConfig(folder, `[sandbox]\nproot = "/nonexistent/proot"\nbackend = "${backend}"`),
      )

    test('where jobs need it', async ({ folder }) => {
      const { code, named } = await withoutProot(folder, 'proot')
      expect(code).toBe(1)
      expect(named('PRoot')).toMatchObject({ status: 'failure' })
      expect(named('PRoot').detail).toContain('apt-get install proot')
    })

    test('where they never need it', async ({ folder }) => {
      const { code, named } = await withoutProot(folder, 'namespaces')
      expect(code).toBe(named('confinement').status === 'failure' ? 1 : 0)
      expect(named('PRoot')).toMatchObject({
        status: 'ok',
        detail: 'not needed: sandbox.backend is "namespaces"',
      })
    })

    test('where it depends on the host', async ({ folder }) => {
      const { code, named } = await withoutProot(folder, 'auto')
      expect(named('PRoot')).toMatchObject({
        status: 'warning',
        detail: expect.stringContaining('found none') as string,
        remedy: expect.stringContaining('namespaces') as string,
      })
      expect(code).toBe(named('confinement').status === 'failure' ? 1 : 0)
    })
  })

  test('a state folder that others can write to', async ({ folder }) => {
    const state = join(folder, 'state')
    mkdirSync(state)
    chmodSync(state, 0o777)
    const { code, named } = await doctor(state)
    expect(code).toBe(1)
    expect(named('state folder')).toMatchObject({ status: 'failure' })
    expect(named('state folder').detail).toContain('mode 777')
  })

  // Only root makes networks; the folders of system programs, which have no nsenter, are always searched.
  test.runIf(isRoot)('a program that is missing, by its package', async ({ folder }) => {
    const { named } = await doctor(folder, [], { PATH: '/nonexistent' })
    expect(named('network of jobs')).toMatchObject({
      detail: expect.stringContaining('is not installed') as string,
      remedy: expect.stringMatching(
        /^on Debian: apt-get install (?:util-linux|iproute2)$/,
      ) as string,
    })
  })

  // Only root gives each job its own uid.
  test.runIf(isRoot)('a state folder that jobs cannot reach', async ({ folder }) => {
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o700)
    const { code, named } = await doctor(join(closed, 'state'))
    expect(code).toBe(1)
    expect(named('state folder')).toMatchObject({ status: 'failure' })
    expect(named('state folder').detail).toContain(`other users can't enter ${closed}`)
  })
})
