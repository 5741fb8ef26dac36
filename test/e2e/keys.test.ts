/** Root secret and keys, as an operator handles them. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { causeway, serve } from '../support/causeway.ts'
import { test } from '../support/folder-fixture.ts'
import { watchProcesses } from '../support/process-words.ts'
import { sendRaw } from '../support/raw-client.ts'
import { causewayOnTerminal } from '../support/terminal-session.ts'

interface Shown {
  deployment: string
  processor: string
  rootSecret: { place: string; path: string; sealed: boolean }
  keys: { key: string; publicKey: string; from: string }[]
}

const rootName = 'causeway-root-secret'
const names = [
  'signing.p256',
  'signing.secp256k1',
  'signing.ed25519',
  'encryption.p256',
  'encryption.secp256k1',
  'hdSeed',
]

function writeDeployment(folder: string, fields: object = {}, name = 'deployment.json'): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify({ id: '3510', ...fields }))
  return file
}

function writeSecret(folder: string, name: string, content: string): string {
  const file = join(folder, name)
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

const keysCommand = (state: string, ...args: string[]) =>
  causeway(['keys', ...args, '--state', state])

async function show(deployment: string, state: string, ...args: string[]): Promise<Shown> {
  const { code, stdout, stderr } = await keysCommand(state, 'show', deployment, '--json', ...args)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Shown
}

const publicKeys = ({ keys }: Shown) => keys.map(({ key, publicKey }) => [key, publicKey])

describe('keys show', () => {
  test('prints the keys that the bridge uses, and their origin', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const shown = await show(deployment, state)
    expect(shown.keys.map(({ key, from }) => [key, from])).toEqual(
      names.map((name) => [name, 'derived']),
    )
    const rootSecret = { place: 'file', path: join(state, rootName), sealed: false }
    expect(shown).toMatchObject({ deployment: '3510', rootSecret })
    await using host = await serve([deployment, '--state', state])
    expect(host.ready.processor).toBe(shown.processor)
    const ask = async (method: string, params: object[] = []) => {
      const request = JSON.stringify({ jsonrpc: '2.0', method, params, id: '1' })
      const { text } = await sendRaw(host.ready.socket, [`${request}\n`])
      return (JSON.parse(text) as { result: Record<string, unknown> }).result
    }
    const [p256, secp256k1, ed25519, encP256, encSecp256k1, master] = shown.keys.map(
      ({ publicKey }) => publicKey,
    )
    expect(await ask('deployment_publicKeys')).toEqual({ publicKeys: { p256, secp256k1, ed25519 } })
    expect(await ask('deployment_encryptionKeys')).toEqual({
      encryptionKeys: { p256: encP256, secp256k1: encSecp256k1 },
    })
    const path = { curve: 'secp256k1', derivationPath: 'm' }
    expect(await ask('signer_publicKey', [path])).toMatchObject({ publicKey: master })
  })

  test('for a person', async ({ folder }) => {
    const { code, stdout } = await keysCommand(folder, 'show', writeDeployment(folder))
    expect(code).toBe(0)
    for (const line of [
      /^deployment +3510 /m,
      /^origin +Substrate [0-9a-f]{64}$/m,
      /^processor +5\w{47}$/m,
      /^root secret +file \S+, not sealed$/m,
      /^signing ed25519 +[0-9a-f]{64} {2}derived$/m,
      /^HD master \(m\) +0[23][0-9a-f]{64} {2}derived$/m,
    ]) {
      expect(stdout).toMatch(line)
    }
  })
})

describe('moving a deployment', () => {
  test('by a keys file: every key is the same, HD included', async ({ folder }) => {
    const [here, there] = [join(folder, 'here'), join(folder, 'there')]
    const deployment = writeDeployment(folder)
    const before = await show(deployment, here)
    const out = join(folder, 'moved.json')
    const exported = await keysCommand(here, 'export', deployment, '--out', out)
    expect([exported.code, exported.stdout]).toEqual([0, ''])
    expect(exported.stderr).toContain('whoever has this file has the keys')
    expect(statSync(out).mode & 0o777).toBe(0o600)
    const moved = await show(writeDeployment(folder, { keys: 'moved.json' }, 'moved'), there)
    expect(publicKeys(moved)).toEqual(publicKeys(before))
    expect(new Set(moved.keys.map(({ from }) => from))).toEqual(new Set([`keys file ${out}`]))
    expect(moved.processor).not.toBe(before.processor)
  })

  test('by an import, until the keys are forgotten', async ({ folder }) => {
    const [here, there] = [join(folder, 'here'), join(folder, 'there')]
    const deployment = writeDeployment(folder)
    const before = await show(deployment, here)
    const own = await show(deployment, there)
    const file = join(folder, 'keys.json')
    await keysCommand(here, 'export', deployment, '--out', file)
    const imported = await keysCommand(there, 'import', deployment, '--from', file)
    expect([imported.code, imported.stdout]).toEqual([0, ''])
    expect(imported.stderr).toContain(`✓ ${names.join(', ')} of deployment 3510: imported`)
    const moved = await show(deployment, there)
    expect(publicKeys(moved)).toEqual(publicKeys(before))
    expect(new Set(moved.keys.map(({ from }) => from))).toEqual(new Set(['imported']))
    expect(await servedKeys(deployment, there)).toEqual(await servedKeys(deployment, here))
    expect((await keysCommand(there, 'import', deployment, '--forget')).code).toBe(0)
    expect(await show(deployment, there)).toEqual(own)
    const again = await keysCommand(there, 'import', deployment, '--forget')
    expect([again.code, again.stderr]).toEqual([0, '! deployment 3510 has no imported keys\n'])
  })

  test('a keys file in the deployment takes precedence over an import', async ({ folder }) => {
    const named = { signing: { p256: '11'.repeat(32) } }
    writeSecret(folder, 'named.json', JSON.stringify(named))
    const all = { signing: { p256: '22'.repeat(32), ed25519: '33'.repeat(32) } }
    const from = writeSecret(folder, 'all.json', JSON.stringify(all))
    const deployment = writeDeployment(folder, { keys: 'named.json' })
    const state = join(folder, 'state')
    const { stderr } = await keysCommand(state, 'import', deployment, '--from', from)
    expect(stderr).toContain('named.json, which the deployment names, comes first')
    expect((await show(deployment, state)).keys.map(({ from: where }) => where)).toEqual([
      `keys file ${join(folder, 'named.json')}`,
      'derived',
      'imported',
      'derived',
      'derived',
      'derived',
    ])
  })

  test.for([
    { out: 'there.json', says: 'there.json: expected nothing there, found a file' },
    { out: '-', says: '--out: expected a file, found -' },
    { out: '/dev/stdout', says: '/dev/stdout: expected nothing there, found a file' },
    { out: '/dev/tty', says: '/dev/tty: expected nothing there, found a file' },
    { out: 'none/a.json', says: 'ENOENT' },
  ])('is not exported to $out', async ({ out, says }, { folder }) => {
    const there = writeSecret(folder, 'there.json', 'mine')
    const deployment = writeDeployment(folder)
    const to = out.startsWith('/') || out === '-' ? out : join(folder, out)
    const { code, stdout, stderr } = await keysCommand(folder, 'export', deployment, '--out', to)
    expect([code, stdout]).toEqual([125, ''])
    expect(stderr).toContain(says)
    expect(stderr).not.toMatch(/[0-9a-f]{64}/)
    expect(readFileSync(there, 'utf8')).toBe('mine')
  })

  test.for([
    { content: '{}', says: 'it holds no keys' },
    { content: '{"signing":{"p256":"00"}}', says: 'signing.p256: expected' },
    { content: `{"signing":{"p256":"${'ff'.repeat(32)}"}}`, says: 'not a private key' },
  ])('nothing is imported from $content', async ({ content, says }, { folder }) => {
    const deployment = writeDeployment(folder)
    const from = writeSecret(folder, 'keys.json', content)
    const { code, stderr } = await keysCommand(folder, 'import', deployment, '--from', from)
    expect(code).toBe(125)
    expect(stderr).toContain(`KEYS_INVALID: ${from}: `)
    expect(stderr).toContain(says)
    expect(stderr).not.toContain('ffff')
    expect(existsSync(join(folder, 'keys'))).toBe(false)
  })

  test('a damaged import prevents a start', async ({ folder }) => {
    const deployment = writeDeployment(folder)
    const from = writeSecret(folder, 'all.json', `{"signing":{"p256":"${'22'.repeat(32)}"}}`)
    await keysCommand(folder, 'import', deployment, '--from', from)
    const [name = ''] = readdirSync(join(folder, 'keys'))
    writeFileSync(join(folder, 'keys', name), 'x')
    const { code, stderr } = await causeway(['serve', deployment, '--state', folder])
    expect(code).toBe(125)
    expect(stderr).toContain(`KEYS_INVALID: ${join(folder, 'keys', name)}: `)
  })

  test.for([
    ['import', '--from', 'a', '--forget'],
    ['import'],
    ['export'],
    ['rotate-root', '--no-passphrase', '--new-passphrase-file', 'a'],
    ['passphrase', '--remove', '--new-passphrase-file', 'a'],
    ['nonsense'],
    [],
  ])('wrong arguments %j exit with 2', async ([command, ...args], { folder }) => {
    const deployment = ['import', 'export'].includes(command ?? '') ? [writeDeployment(folder)] : []
    const all = command === undefined ? [] : [command, ...deployment, ...args]
    expect((await causeway(['keys', ...all])).code).toBe(2)
  })
})

describe('the passphrase', () => {
  const prompts = { old: 'Passphrase of the root secret: ', again: 'Repeat the new passphrase: ' }

  test('can be set, asked for, changed and removed; the keys stay', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const before = await show(deployment, state)
    const first = writeSecret(folder, 'first', 'correct horse\n')
    const second = writeSecret(folder, 'second', 'battery staple')
    const set = await keysCommand(state, 'passphrase', '--new-passphrase-file', first)
    expect(set).toMatchObject({ code: 0, stderr: `✓ ${join(state, rootName)}: sealed\n` })
    const sealed = await show(deployment, state, '--passphrase-file', first)
    expect(sealed.rootSecret.sealed).toBe(true)
    expect(publicKeys(sealed)).toEqual(publicKeys(before))
    const change = ['--passphrase-file', first, '--new-passphrase-file', second]
    expect((await keysCommand(state, 'passphrase', ...change)).code).toBe(0)
    const refused = await keysCommand(state, 'show', deployment, '--passphrase-file', first)
    expect(refused).toMatchObject({ code: 125, stdout: '' })
    expect(refused.stderr).toBe(
      `causeway: ${join(state, rootName)}: wrong passphrase, or the file was changed\n`,
    )
    await using host = await serve([deployment, '--state', state, '--passphrase-file', second])
    expect(host.ready.processor).toBe(before.processor)
    const remove = ['--remove', '--passphrase-file', second]
    expect((await keysCommand(state, 'passphrase', ...remove)).code).toBe(0)
    expect(await show(deployment, state)).toEqual(before)
    expect(readdirSync(state).filter((name) => name.startsWith(rootName))).toEqual([rootName])
  })

  test('is asked for on the terminal, which does not show it', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const set = await causewayOnTerminal(
      ['keys', 'passphrase', '--state', state],
      [
        { expect: 'New passphrase: ', send: 'wrong\x15corre\xc3\xbc\x7fct horse\r' },
        { expect: prompts.again, send: 'correct horse\r' },
      ],
    )
    expect(set).toMatchObject({ code: 0, stderr: `✓ ${join(state, rootName)}: made, sealed\n` })
    expect(set.shown).toBe(`New passphrase: \r\n${prompts.again}\r\n`)
    expect(set.echo).toEqual([false, false, true])
    const shown = await causewayOnTerminal(
      ['keys', 'show', deployment, '--json', '--state', state],
      [{ expect: prompts.old, send: 'correct horse\r' }],
    )
    expect([shown.code, shown.shown]).toEqual([0, `${prompts.old}\r\n`])
    const file = writeSecret(folder, 'passphrase', 'correct horse\n')
    expect(JSON.parse(shown.stdout)).toEqual(
      await show(deployment, state, '--passphrase-file', file),
    )
  })

  test('typed ahead, all at once, is read line by line', async ({ folder }) => {
    const { code, shown } = await causewayOnTerminal(
      ['keys', 'passphrase', '--state', folder],
      [{ expect: 'New passphrase: ', send: 'correct horse\rcorrect horse\r' }],
    )
    expect([code, shown]).toEqual([0, `New passphrase: \r\n${prompts.again}\r\n`])
  })

  test.for([
    { name: 'two that differ', send: ['a\r', 'b\r'], says: 'the two passphrases differ' },
    {
      name: 'an empty one',
      send: ['\r', '\r'],
      says: 'expected a passphrase, found an empty line',
    },
    { name: 'Ctrl-C', send: ['a\x03'], says: 'stopped by Ctrl-C' },
    { name: 'Ctrl-D', send: ['\x04'], says: 'stopped by Ctrl-C' },
    { name: 'too much', send: ['x'.repeat(1025)], says: 'the line is too long' },
  ])('$name: the secret is unchanged', async ({ send, says }, { folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    await show(deployment, state)
    const before = readFileSync(join(state, rootName))
    const questions = ['New passphrase: ', prompts.again]
    const { code, stderr, echo } = await causewayOnTerminal(
      ['keys', 'passphrase', '--state', state],
      send.map((text, index) => ({ expect: questions[index]!, send: text })),
    )
    expect([code, stderr]).toEqual([125, `causeway: ${says}\n`])
    expect(echo.at(-1)).toBe(true)
    expect(readFileSync(join(state, rootName))).toEqual(before)
  })

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    '%s while it is asked for leaves the terminal as it was',
    async (signal, { folder }) => {
      const { code, stderr, echo } = await causewayOnTerminal(
        ['keys', 'passphrase', '--state', folder],
        [{ expect: 'New passphrase: ', signal }],
      )
      expect([code, stderr]).toEqual([125, `causeway: stopped by ${signal}\n`])
      expect(echo).toEqual([false, true])
    },
  )

  test('is not asked for without a terminal', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const file = writeSecret(folder, 'passphrase', 'correct horse')
    await keysCommand(state, 'passphrase', '--new-passphrase-file', file)
    const options = { detached: true }
    const ended = await causeway(['keys', 'show', deployment, '--state', state], options)
    expect(ended.code).toBe(125)
    expect(ended.stderr).toContain('and there is no terminal to ask on')
  })

  test('in a systemd credential is changed elsewhere', async ({ folder }) => {
    writeFileSync(join(folder, rootName), Buffer.alloc(32, 7), { mode: 0o400 })
    const env = { ...process.env, CREDENTIALS_DIRECTORY: folder }
    const file = writeSecret(folder, 'passphrase', 'correct horse')
    const state = join(folder, 'state')
    for (const args of [
      ['passphrase', '--new-passphrase-file', file],
      ['rotate-root', '--yes'],
    ]) {
      const { code, stderr } = await causeway(['keys', ...args, '--state', state], { env })
      expect(code).toBe(125)
      expect(stderr).toContain('this root secret is a systemd credential')
    }
    const { rootSecret } = await (async () => {
      const deployment = writeDeployment(folder)
      const args = ['keys', 'show', deployment, '--json', '--state', state]
      return JSON.parse((await causeway(args, { env })).stdout) as Shown
    })()
    expect(rootSecret).toEqual({ place: 'credential', path: join(folder, rootName), sealed: false })
  })
})

describe('rotate-root', () => {
  test('without --yes says what it would do', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const before = await show(deployment, state)
    const { code, stdout, stderr } = await keysCommand(state, 'rotate-root')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('nothing was changed')
    expect(stderr).toContain(before.processor)
    expect(await show(deployment, state)).toEqual(before)
  })

  test('changes derived keys, keeps imported ones and the old secret', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const before = await show(deployment, state)
    const old = readFileSync(join(state, rootName))
    const from = writeSecret(folder, 'all.json', `{"signing":{"p256":"${'22'.repeat(32)}"}}`)
    await keysCommand(state, 'import', deployment, '--from', from)
    const withImport = await show(deployment, state)
    const { code, stderr } = await keysCommand(state, 'rotate-root', '--yes')
    const after = await show(deployment, state)
    expect(code).toBe(0)
    expect(stderr).toContain(`✓ processor ${before.processor} → ${after.processor}`)
    expect(after.keys[0]).toEqual(withImport.keys[0])
    expect(after.keys[0]).toMatchObject({ key: 'signing.p256', from: 'imported' })
    const stayed = after.keys.filter(({ publicKey }) =>
      before.keys.some((key) => key.publicKey === publicKey),
    )
    expect(stayed).toEqual([])
    const [oldName = ''] = readdirSync(state).filter((name) => name.endsWith('.old'))
    expect(stderr).toContain(`! ${join(state, oldName)} is the old one, in the clear: delete it`)
    expect(readFileSync(join(state, oldName))).toEqual(old)
    copyFileSync(join(state, oldName), join(state, rootName))
    const refused = await keysCommand(state, 'show', deployment)
    expect(refused.stderr).toContain('ROOT_REPLACED')
    rmSync(join(state, 'causeway-root-account'))
    expect((await show(deployment, state)).processor).toBe(before.processor)
  })

  test('keeps the way the secret is stored, or changes it on request', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const [first, second] = ['first', 'second'].map((name) => writeSecret(folder, name, name))
    const isSealed = () => statSync(join(state, rootName)).size > 32
    const rotate = async (...args: string[]) =>
      (await keysCommand(state, 'rotate-root', '--yes', ...args)).code
    await keysCommand(state, 'passphrase', '--new-passphrase-file', first!)
    expect(await rotate('--passphrase-file', first!)).toBe(0)
    expect(isSealed()).toBe(true)
    await show(deployment, state, '--passphrase-file', first!)
    const change = ['--passphrase-file', first!, '--new-passphrase-file', second!]
    expect(await rotate(...change)).toBe(0)
    await show(deployment, state, '--passphrase-file', second!)
    expect(await rotate('--passphrase-file', second!, '--no-passphrase')).toBe(0)
    expect(isSealed()).toBe(false)
    await show(deployment, state)
  })

  test('leaves audit logs that verify', async ({ folder }) => {
    const origin = { source: '22'.repeat(32) }
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder, { origin })]
    await servedKeys(deployment, state)
    const verify = () => causeway(['audit', 'verify', deployment, '--json', '--state', state])
    const before = await verify()
    expect(before.code).toBe(0)
    expect((await keysCommand(state, 'rotate-root', '--yes')).code).toBe(0)
    expect(await verify()).toEqual(before)
    await servedKeys(deployment, state)
    expect((await verify()).code).toBe(0)
  })

  test('is refused while a bridge runs, which continues', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    await using host = await serve([deployment, '--state', state])
    const { code, stderr } = await keysCommand(state, 'rotate-root', '--yes')
    expect(code).toBe(125)
    expect(stderr).toContain('bridges of this state folder are running')
    expect((await show(deployment, state)).processor).toBe(host.ready.processor)
    await host[Symbol.asyncDispose]()
    expect((await keysCommand(state, 'rotate-root', '--yes')).code).toBe(0)
  })

  test('without a root secret is refused', async ({ folder }) => {
    const { code, stderr } = await keysCommand(join(folder, 'state'), 'rotate-root', '--yes')
    expect(code).toBe(125)
    expect(stderr).toContain('there is no root secret yet')
  })
})

describe('secrets', () => {
  test('are in no argument, environment or output', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const passphrase = 'a passphrase for this test only'
    const file = writeSecret(folder, 'passphrase', passphrase)
    await show(deployment, state)
    const root = readFileSync(join(state, rootName))
    const out = join(folder, 'out.json')
    const commands = [
      ['export', deployment, '--out', out],
      ['passphrase', '--new-passphrase-file', file],
      ['import', deployment, '--from', out, '--passphrase-file', file],
      ['show', deployment, '--json', '--passphrase-file', file],
      ['rotate-root', '--yes', '--passphrase-file', file],
    ]
    await keysCommand(state, 'export', deployment, '--out', `${out}.first`)
    const privateKeys = readFileSync(`${out}.first`, 'utf8').match(/[0-9a-f]{64,}/g) ?? []
    expect(privateKeys).toHaveLength(6)
    const secrets = [passphrase, root.toString('latin1'), root.toString('hex'), ...privateKeys]
    for (const command of commands) {
      const { result, hits, seen } = await watchProcesses(secrets, () =>
        keysCommand(state, ...command),
      )
      expect(result.code, result.stderr).toBe(0)
      expect([...hits]).toEqual([])
      expect([...seen].some((line) => line.includes(`keys ${command[0]}`))).toBe(true)
      const printed = result.stdout + result.stderr
      expect(secrets.filter((secret) => printed.includes(secret))).toEqual([])
    }
  })

  test('in a file that others can read are refused', async ({ folder }) => {
    const [state, deployment] = [join(folder, 'state'), writeDeployment(folder)]
    const file = writeSecret(folder, 'passphrase', 'correct horse')
    chmodSync(file, 0o644)
    for (const args of [
      ['show', deployment, '--passphrase-file', file],
      ['passphrase', '--new-passphrase-file', file],
      ['import', deployment, '--from', file],
    ]) {
      const { code, stderr } = await keysCommand(state, ...args)
      expect(code).toBe(125)
      expect(stderr).toContain(`${file}: expected mode 600, found 644`)
    }
  })
})

/** Public keys as a job sees them. */
async function servedKeys(deployment: string, state: string): Promise<string> {
  await using host = await serve([deployment, '--state', state])
  const request = '{"jsonrpc":"2.0","method":"deployment_publicKeys","params":[],"id":"1"}'
  return (await sendRaw(host.ready.socket, [`${request}\n`])).text
}
