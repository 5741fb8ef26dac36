/** `causeway whitelist` and `network_whitelist` of the built command, with a real name server. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, type BridgeError } from '@causeway/guest-sdk'
import { encodeSs58 } from '@causeway/manifest'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { serveDeployment } from '../conformance/serve-deployment.ts'
import type { NetworkView } from '../../runtime/src/network/network-view.ts'
import type { Verification } from '../../runtime/src/network/verify/verification.ts'
import { causeway, run } from '../support/causeway.ts'
import { readyDaemon } from '../support/daemon.ts'
import { writeDeployment } from '../support/deployment.ts'
import { startNameServer, type NameServer } from '../support/name-server.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const source = '5a'.repeat(32)
const digest = (owner: string, name: string) =>
  createHash('sha256').update(Buffer.from(owner, 'hex')).update(name).digest('base64')
const claim = (name: string) => `"v=${digest(source, name)}"`

/** `good.test` consents; `bad.test` has only an address; `half.test`'s address does not consent. */
const zones = {
  'good.test': `@ A 93.184.216.10\n@ AAAA 2606:2800:220:1::10\n_acu TXT ${claim('good.test')}\n`,
  'bad.test': '@ A 93.184.216.11\n',
  'half.test': `@ A 93.184.216.12\n_acu TXT ${claim('half.test')}\n`,
  '216.184.93.in-addr.arpa': '10 PTR good.test.\n11 PTR bad.test.\n12 PTR edge.half.test.\n',
  '0.2.2.0.0.0.8.2.6.0.6.2.ip6.arpa': '0.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0 PTR good.test.\n',
}

let names: NameServer
beforeAll(async () => void (names = await startNameServer(zones)))
afterAll(() => names[Symbol.asyncDispose]())

const resolverOf = ({ address, port }: NameServer) => `${address}:${port}`
const check = (host: string, ...args: string[]) =>
  causeway(['whitelist', 'check', host, '--resolver', resolverOf(names), ...args])
const configOf = (server: NameServer) => `[network]\nresolvers = ["${resolverOf(server)}"]\n`

describe('causeway whitelist check', () => {
  test('ticks every record of a consenting host', async () => {
    const { code, stdout, stderr } = await check('good.test', '--source', source)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`✓ TXT  _acu.good.test: v=${digest(source, 'good.test')}\n`)
    expect(stdout).toContain('✓ A    good.test: 93.184.216.10\n')
    expect(stdout).toMatch(/^✓ PTR {2}\S+\.ip6\.arpa \(2606:2800:220:1::10\): good\.test$/m)
    expect(stdout).not.toContain('✗')
    expect(stdout).toMatch(
      /✓ good\.test would be whitelisted: 93\.184\.216\.10 for 300 s, 2606:2800:220:1::10 for 300 s\n$/,
    )
  })

  test('shows everything that is missing, and the right records to publish', async () => {
    const { code, stdout } = await check('bad.test', '--source', source)
    expect(code).toBe(1)
    const records = [...stdout.matchAll(/^ +publish: (\S+) IN TXT ("v=\S+")$/gm)]
    const [, name, value] = records[0]!
    expect([name, value]).toEqual(['_acu.bad.test.', claim('bad.test')])
    expect(records.every((record) => record[0] === records[0]![0])).toBe(true)
    expect(stdout).toMatch(/✗ bad\.test would not be whitelisted: TXT_MISSING\n$/)
    const zone = `@ A 93.184.216.11\n${name} TXT ${value}\n`
    await using published = await startNameServer({ ...zones, 'bad.test': zone })
    const args = ['bad.test', '--source', source, '--resolver', resolverOf(published)]
    expect(await causeway(['whitelist', 'check', ...args])).toMatchObject({ code: 0 })
  })

  test('--json prints the whole verification', async () => {
    const { code, stdout } = await check('half.test', '--source', source, '--json')
    const { host, passed, failure, steps } = JSON.parse(stdout) as Verification
    expect({ code, host, passed }).toEqual({ code: 1, host: 'half.test', passed: [] })
    expect(failure).toMatchObject({
      step: 'counterclaim',
      kind: 'PTR_TXT_MISSING',
      name: '_acu.edge.half.test',
    })
    expect(steps.map(({ step }) => step)).toEqual(
      expect.arrayContaining(['claim', 'address', 'pointer', 'counterclaim']),
    )
  })

  test('takes the account as SS58, too, and resolvers from the configuration', async () => {
    await using folder = await temporaryFolder()
    const config = join(folder.path, 'config.toml')
    await writeFile(config, configOf(names))
    const account = encodeSs58(Buffer.from(source, 'hex'), 42)
    const args = ['whitelist', 'check', 'good.test', '--config', config, '--source', account]
    expect(await causeway(args)).toMatchObject({ code: 0, stderr: '' })
  })

  test('for another owner shows whose record exists', async () => {
    const { code, stdout } = await check('good.test', '--source', '00'.repeat(32))
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ good\.test would not be whitelisted: TXT_MISMATCH\n$/)
  })

  const wrong = [
    { args: ['good.test'], says: "required option '--source <account>'" },
    { args: ['good.test', '--source', 'abc'], says: 'expected an account of 64 hex digits' },
    { args: ['good.test', '--source', source, '--resolver', 'x:y'], says: 'expected IP, IP:PORT' },
    { args: ['https://good.test/', '--source', source], says: 'BAD_HOST: host: expected a bare' },
    { args: ['127.0.0.1', '--source', source], says: 'BAD_HOST: host: expected' },
  ]
  test.for(wrong)('wrong arguments: $args', async ({ args, says }) => {
    const { code, stdout, stderr } = await causeway(['whitelist', 'check', ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(says)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

const job = fileURLToPath(new URL('../../guest-sdk/examples/whitelist/job.py', import.meta.url))

describe('causeway whitelist list', () => {
  test('says that there is no daemon', async () => {
    await using folder = await temporaryFolder()
    const { code, stderr } = await causeway(['whitelist', 'list', '3510', '--state', folder.path])
    expect(code).toBe(125)
    expect(stderr).toContain('DAEMON_UNREACHABLE')
  })

  /** The example job, which then keeps running. */
  const staying = `#!/usr/bin/env python3
import runpy, sys, time
runpy.run_path("/root/job/example.py", run_name="__main__")
sys.stdout.flush()
time.sleep(1000)
`

  test('shows a running job’s whitelist, and only then', { timeout: 120_000 }, async () => {
    await using folder = await temporaryFolder()
    const path = (name: string) => join(folder.path, name)
    const state = path('state')
    await writeFile(path('config.toml'), configOf(names))
    const file = await writeDeployment(path('files'), {
      image: await recipeImage('python'),
      entrypoint: 'job.py',
      files: { 'job.py': staying, 'example.py': await readFile(job) },
      deployment: { id: '3510', origin: { source }, environment: { HOST: 'good.test' } },
    })
    const args = ['--allow-local-images', '--config', path('config.toml')]
    await using daemon = await readyDaemon(state, { args })
    const list = (...more: string[]) =>
      causeway(['whitelist', 'list', '3510', '--state', state, ...more])
    expect((await causeway(['deploy', file, '--wait', '--state', state])).code).toBe(0)
    await vi.waitFor(
      async () => expect(JSON.stringify(await daemon.logs('3510'))).toContain('is whitelisted'),
      { timeout: 60_000, interval: 200 },
    )
    const view = JSON.parse((await list('--json')).stdout) as NetworkView
    expect(view.hosts).toMatchObject([
      {
        host: 'good.test',
        addresses: [{ address: '93.184.216.10' }, { address: '2606:2800:220:1::10' }],
      },
    ])
    expect(view.limits !== undefined).toBe(view.mode !== 'none')
    const { code, stdout } = await list()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^network +(?:isolated|shared|the host)/)
    expect(stdout).toMatch(
      /^good\.test +93\.184\.216\.10 \(\d+ s\), 2606:2800:220:1::10 \(\d+ s\)$/m,
    )
    await causeway(['stop', '3510', '--grace', '0', '--state', state])
    const after = await list()
    expect(after.code).toBe(125)
    expect(after.stderr).toContain('DEPLOYMENT_NOT_RUNNING: deployment 3510 is stopped')
    await daemon.stop()
  })
})

describe('causeway serve', () => {
  const deployment = { origin: { source } }
  const serveWith = (server: NameServer, more: object = {}) =>
    serveDeployment({ deployment: { ...deployment, ...more }, config: configOf(server) })

  test('verifies, and reports that nothing is enforced', async () => {
    await using bridge = await serveWith(names)
    const client = connect({ socket: bridge.socket })
    const { network } = client
    await network.whitelist('good.test')
    expect((await client.discover()).info['x-network']).toEqual({ mode: 'none', enforced: false })
    const error = (await network
      .whitelist('half.test')
      .catch((thrown: unknown) => thrown)) as BridgeError
    expect(error).toMatchObject({ kind: 'PTR_TXT_MISSING', code: -32603, retryable: false })
    const record = `_acu.edge.half.test. IN TXT ${claim('edge.half.test')}`
    expect(error.hint).toBe(`publish ${record}`)
    const name = '_acu.edge.half.test'
    const details = { step: 'counterclaim', name, expected: record, address: '93.184.216.12' }
    expect(error.details).toMatchObject(details)
  })

  test('answers for an owner whose account does not have 32 bytes', async () => {
    await using bridge = await serveWith(names, { origin: { source: 'ab'.repeat(20) } })
    const { network } = connect({ socket: bridge.socket })
    await expect(network.whitelist('good.test')).rejects.toMatchObject({
      kind: 'FAILED_PRECONDITION',
      message: expect.stringContaining('found 20 bytes') as string,
    })
    await expect(network.whitelist('1.2.3.4')).rejects.toMatchObject({ kind: 'BAD_HOST' })
  })

  test('reports that no resolver answers', async () => {
    const gone = await startNameServer({})
    await gone[Symbol.asyncDispose]()
    await using bridge = await serveWith(gone)
    const { network } = connect({ socket: bridge.socket })
    const refusal = { kind: 'RESOLVER_FAILED', retryable: true }
    await expect(network.whitelist('good.test')).rejects.toMatchObject(refusal)
  })

  test('the example job prints what to publish, and then succeeds', async () => {
    await using bridge = await serveWith(names)
    const env = { ...process.env, BRIDGE_SOCKET: bridge.socket, HOST: 'bad.test' }
    const refused = await run('python3', [job], { env })
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^TXT_MISSING: /) as string,
    })
    const [, record] = /^publish: (.*)\n$/.exec(refused.stdout) ?? []
    const zone = `@ A 93.184.216.11\n${record}\n`
    await using published = await startNameServer({ ...zones, 'bad.test': zone })
    await using second = await serveWith(published)
    const passed = await run('python3', [job], { env: { ...env, BRIDGE_SOCKET: second.socket } })
    expect(passed).toMatchObject({ code: 0, stderr: '' })
    expect(passed.stdout).toBe('bad.test is whitelisted: connections to it do not wait\n')
  })

  test('limits a job to its own rate of such calls', async () => {
    const config = `${configOf(names)}[bridge.limits.network]\nperSecond = 1\nburst = 2\n`
    await using bridge = await serveDeployment({ deployment, config })
    const { network } = connect({ socket: bridge.socket })
    const calls = Array.from({ length: 40 }, () => network.whitelist('good.test'))
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(1)
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as BridgeError) : [],
    )
    expect(refused[0]).toMatchObject({
      kind: 'LIMIT_EXCEEDED',
      details: { class: 'network', perSecond: 1 },
      retryAfterMs: expect.any(Number) as number,
    })
  })
})
