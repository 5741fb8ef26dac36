/**
 * The audit log behind a real bridge: compares clients' replies, files, and the commands' output.
 */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, truncateSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { signUntilGone } from '../support/audit-signers.ts'
import { causeway, serve } from '../support/causeway.ts'
import { times } from '../support/effort.ts'
import { test } from '../support/folder-fixture.ts'
import { askWithPython } from '../support/python-client.ts'

const keys = {
  signing: { p256: '11'.repeat(32), secp256k1: '22'.repeat(32), ed25519: '33'.repeat(32) },
  encryption: { p256: '44'.repeat(32), secp256k1: '55'.repeat(32) },
}
const plaintext = 'c0ffee00'.repeat(9)
const digest = 'ab'.repeat(32)

interface Line {
  seq: number
  event?: string
  method?: string
  sha256?: string
  pid?: number
}

/** A deployment with its own keys, and a state folder. */
async function prepare(folder: string): Promise<{ deployment: string; state: string }> {
  const deployment = join(folder, 'deployment.json')
  await writeFile(deployment, '{"id":"3510","keys":"keys.json"}')
  await writeFile(join(folder, 'keys.json'), JSON.stringify(keys), { mode: 0o600 })
  return { deployment, state: join(folder, 'state') }
}

async function call(socket: string, method: string, params: object): Promise<Reply> {
  const request = JSON.stringify({ jsonrpc: '2.0', id: '1', method, params: [params] })
  return JSON.parse(await askWithPython(socket, `${request}\n`)) as Reply
}

interface Reply {
  result: { publicKey: string; bytes: string }
  error?: { data: { kind: string } }
}

function logFolder(state: string): string {
  const [name] = readdirSync(join(state, 'audit'))
  return join(state, 'audit', name!)
}

function linesIn(state: string): Line[] {
  const text = readFileSync(join(logFolder(state), 'audit.log'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

const sha256 = (hex: string) => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex')

describe('a bridge and its log', () => {
  test('every use of a key, never a key or a plaintext', async ({ folder }) => {
    const { deployment, state } = await prepare(folder)
    const bridge = await serve([deployment, '--state', state])
    const { socket } = bridge.ready
    const verify = () => causeway(['audit', 'verify', deployment, '--state', state])
    await call(socket, 'signer_publicKey', { curve: 'secp256k1', derivationPath: "m/0'/1" })
    await call(socket, 'signer_sign', { curve: 'p256', bytes: digest })
    const own = (await call(socket, 'deployment_encryptionKeys', {})) as unknown as {
      result: { encryptionKeys: { p256: string } }
    }
    const peer = { curve: 'p256', publicKey: own.result.encryptionKeys.p256, salt: '00' }
    const sealed = await call(socket, 'signer_encrypt', { ...peer, bytes: plaintext })
    const opened = await call(socket, 'signer_decrypt', { ...peer, bytes: sealed.result.bytes })
    expect(opened.result.bytes).toBe(plaintext)
    const broken = `${sealed.result.bytes.slice(0, -2)}00`
    const failed = await call(socket, 'signer_decrypt', { ...peer, salt: '01', bytes: broken })
    expect(failed.error!.data.kind).toBe('DECRYPT_FAILED')
    // The bridge is still running.
    const meanwhile = await verify()
    expect(meanwhile).toMatchObject({ code: 0, stderr: '' })
    expect(meanwhile.stdout).toMatch(/^✓ 6 lines, 1 to 6, 20.*Z to 20.*Z\n$/)
    await bridge[Symbol.asyncDispose]()
    const lines = linesIn(state)
    expect(lines).toEqual([
      expect.objectContaining({ event: 'opened', deployment: '3510' }),
      expect.objectContaining({ method: 'signer_publicKey', curve: 'secp256k1', path: "m/0'/1" }),
      expect.objectContaining({ method: 'signer_sign', curve: 'p256', sha256: sha256(digest) }),
      expect.objectContaining({ method: 'signer_encrypt', sha256: sha256(sealed.result.bytes) }),
      expect.objectContaining({ method: 'signer_decrypt', sha256: sha256(sealed.result.bytes) }),
      expect.objectContaining({ sha256: sha256(broken), outcome: 'DECRYPT_FAILED' }),
      expect.objectContaining({ event: 'closed' }),
    ])
    expect(lines.filter(({ method, pid }) => method && !(pid! > 1))).toEqual([])
    const text = readFileSync(join(logFolder(state), 'audit.log'), 'latin1')
    const secrets = [...Object.values(keys.signing), ...Object.values(keys.encryption), plaintext]
    for (const secret of secrets) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret, 'hex').toString('latin1'))
    }
    expect(text).not.toContain(sha256(plaintext))
  })

  test('show and verify print it, and report what was cut off', async ({ folder }) => {
    const { deployment, state } = await prepare(folder)
    const audit = (...args: string[]) =>
      causeway(['audit', args[0]!, deployment, '--state', state, ...args.slice(1)])
    const nothing = await audit('verify')
    expect(nothing).toMatchObject({ code: 1, stderr: '' })
    expect(nothing.stdout).toMatch(/^✗ .*\/audit\.log:0: there is no audit log\n$/)
    await using bridge = await serve([deployment, '--state', state])
    for (let times = 0; times < 3; times++)
      await call(bridge.ready.socket, 'signer_sign', { curve: 'p256', bytes: digest })
    const shown = await audit('show')
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    const [first, second, ...rest] = shown.stdout.trimEnd().split('\n')
    expect(first).toMatch(/^1 {2}20\S+Z {2}opened {2}\{"deployment":"3510","origin":\{/)
    const start = sha256(digest).slice(0, 16)
    expect(second).toMatch(
      new RegExp(`^2  20\\S+Z  signer_sign\\(p256\\)  sha256 ${start}…  pid \\d+$`),
    )
    expect(rest.length).toBe(2)
    const raw = await audit('show', '--json', '--last', '2')
    expect(
      raw.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
    ).toEqual(linesIn(state).slice(-2))
    expect((await audit('show', '--last', '0')).code).toBe(2)

    // A second bridge of the deployment has its own log.
    const other = await serve([deployment, '--state', state])
    await call(other.ready.socket, 'signer_sign', { curve: 'ed25519', bytes: '' })
    await other[Symbol.asyncDispose]()
    const last = (await audit('show', '--last', '2')).stdout
    expect(last).toMatch(/^2 .* signer_sign\(ed25519\) .*\n3 .* closed\n$/)
    expect((await audit('verify')).stdout).toMatch(
      /^✓ 4 lines, 1 to 4, .*\n✓ 3 lines, 1 to 3, .*\n$/,
    )

    const file = join(logFolder(state), 'audit.log')
    const whole = readFileSync(file)
    const end = whole.lastIndexOf('\n', whole.length - 2) + 1
    truncateSync(file, end)
    const cut = await audit('verify')
    expect(cut).toMatchObject({ code: 1, stderr: '' })
    expect(cut.stdout).toMatch(`✗ ${file}:3: lines 4 to 4 are missing at the end\n✓ 3 lines`)
    const asJson = await audit('verify', '--json')
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      ok: false,
      logs: [
        {
          ok: false,
          lines: 3,
          finding: { file, line: 3, what: 'lines 4 to 4 are missing at the end' },
        },
        { ok: true, lines: 3 },
      ],
    })
  })
})

const kills = times({ short: 4, long: 20 })
const mostSignatures = 740

test(`kill -9 in the middle of a load, ${kills} times`, async ({ folder }) => {
  const { deployment, state } = await prepare(folder)
  const received: string[] = []
  for (let round = 1; round <= kills; round++) {
    const enough = Math.ceil((round * mostSignatures) / kills)
    await using bridge = await serve([deployment, '--state', state, '--no-limits'])
    const kill = () => void bridge.child.kill('SIGKILL')
    const digests = await signUntilGone(bridge.ready.socket, enough, kill)
    expect(digests.length).toBeGreaterThanOrEqual(enough)
    received.push(...digests)
  }
  await (await serve([deployment, '--state', state]))[Symbol.asyncDispose]()
  const lines = linesIn(state)
  const noted = new Set(lines.map((line) => line.sha256))
  expect(received.filter((sent) => !noted.has(sha256(sent)))).toEqual([])
  expect(lines.filter(({ event }) => event === 'opened').length).toBe(kills + 1)
  expect(lines.filter(({ event }) => event === 'inconsistent')).toEqual([])
  const verified = await causeway(['audit', 'verify', deployment, '--state', state])
  expect(verified).toMatchObject({ code: 0, stderr: '' })
  expect(verified.stdout).toContain(`✓ ${lines.length} lines, 1 to ${lines.length}, `)
}, 300_000)
