/** `causeway serve` with clients that share no code with us. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causeway, run, serve } from '../support/causeway.ts'
import { sendRaw } from '../support/raw-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const noble = { p256, secp256k1 }
const request = '{"jsonrpc":"2.0","method":"processor_version","params":[],"id":"1"}'
const answer = '{"jsonrpc":"2.0","id":"1","result":{"version":"1.27.0"}}'

const python = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect('\\0' + os.environ['BRIDGE_SOCKET'])
s.sendall(sys.argv[1].encode() + b'\\n')
print(s.recv(65536).decode(), end='')
assert s.recv(1) == b'', 'the bridge must close'
`
const node = `
const socket = require('net').connect('\\0' + process.env.BRIDGE_SOCKET)
socket.write(process.argv[1] + '\\n')
socket.on('data', (data) => process.stdout.write(data))
`
const otherNode = (major: number) =>
  fileURLToPath(new URL(`../node-versions/node_modules/node-${major}/bin/node`, import.meta.url))

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let deployment: string

beforeAll(async () => {
  folder = await temporaryFolder()
  deployment = join(folder.path, 'deployment.json')
  await writeFile(deployment, '{"id":"3510"}')
})
afterAll(() => folder[Symbol.asyncDispose]())

const clients: {
  name: string
  command: (socket: string) => [string, ...string[]]
  input?: string
}[] = [
  { name: 'python3, socket.AF_UNIX', command: () => ['python3', '-c', python, request] },
  {
    name: 'socat',
    command: (socket) => ['socat', '-', `ABSTRACT-CONNECT:${socket}`],
    input: `${request}\n`,
  },
  { name: 'the Node that runs the tests', command: () => [process.execPath, '-e', node, request] },
  { name: 'Node 20.9', command: () => [otherNode(20), '-e', node, request] },
  { name: 'Node 24', command: () => [otherNode(24), '-e', node, request] },
]

describe('every client reaches the same bridge', () => {
  let bridge: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    bridge = await serve([deployment, '--state', folder.path])
  })
  afterAll(() => bridge[Symbol.asyncDispose]())

  test.for(clients)('$name', async ({ command, input }) => {
    const { socket } = bridge.ready
    const [program, ...args] = command(socket)
    const env = { ...process.env, BRIDGE_SOCKET: socket }
    const result = await run(program, args, { env, ...(input && { input }) })
    expect(result).toEqual({ code: 0, signal: null, stdout: `${answer}\n`, stderr: '' })
  })
})

describe('the daemon on another Node', () => {
  test.for([22, 24])('Node %i serves Node 20, 22 and 24', async (major) => {
    await using bridge = await serve([deployment, '--state', folder.path], otherNode(major))
    const env = { ...process.env, BRIDGE_SOCKET: bridge.ready.socket }
    for (const client of [20, 22, 24].map(otherNode)) {
      const result = await run(client, ['-e', node, request], { env })
      expect(result.stdout).toBe(`${answer}\n`)
    }
  })

  test.for([22, 24])('Node %i signs natively, on its own OpenSSL', async (major) => {
    await using bridge = await serve([deployment, '--state', folder.path], otherNode(major))
    const ask = async (method: string, params: object[]) => {
      const line = JSON.stringify({ jsonrpc: '2.0', method, params, id: 1 })
      return JSON.parse((await sendRaw(bridge.ready.socket, [`${line}\n`])).text) as {
        result: { info: object; bytes: string; publicKey: string }
      }
    }
    expect((await ask('rpc.discover', [])).result.info).toMatchObject({ 'x-signer': 'native' })
    for (const curve of ['p256', 'secp256k1'] as const) {
      const { bytes } = (await ask('signer_sign', [{ curve, bytes: 'ab'.repeat(32) }])).result
      const { publicKey } = (await ask('signer_publicKey', [{ curve }])).result
      const [signature, digest, key] = [bytes, 'ab'.repeat(32), publicKey].map((hex) =>
        Buffer.from(hex, 'hex'),
      )
      expect(noble[curve].verify(signature!, digest!, key!, { prehash: false })).toBe(true)
    }
  })
})

describe('the SDK on other Nodes', () => {
  const sdk = fileURLToPath(new URL('../../guest-sdk/dist/index.js', import.meta.url))
  const script = `import(process.argv[1]).then(async ({ connect }) => console.log((await connect().deployment.id()).id))`

  test.for([20, 22, 24])('Node %i', async (major) => {
    await using bridge = await serve([deployment, '--state', folder.path])
    const env = { ...process.env, BRIDGE_SOCKET: bridge.ready.socket }
    const result = await run(otherNode(major), ['-e', script, sdk], { env })
    expect(result).toMatchObject({ code: 0, stdout: '3510\n' })
  })
})

describe('causeway serve', () => {
  test('ends on SIGTERM with exit code 0', async () => {
    const bridge = await serve([deployment, '--state', folder.path])
    bridge.child.kill('SIGTERM')
    expect(await bridge.finished).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  test('reports that a name is taken', async () => {
    await using bridge = await serve([deployment, '--state', folder.path])
    const second = await causeway([
      'serve',
      deployment,
      '--state',
      folder.path,
      '--socket',
      bridge.ready.socket,
    ])
    expect(second.code).toBe(125)
    expect(second.stderr).toContain('EADDRINUSE')
    expect(second.stderr).toContain(bridge.ready.socket)
  })

  test('refuses a process of another uid before it reads a byte', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can start a process of another uid')
    await using bridge = await serve([deployment, '--state', folder.path])
    const env = { PATH: process.env['PATH'], BRIDGE_SOCKET: bridge.ready.socket }
    const result = await run(process.execPath, ['-e', node, request], {
      env,
      uid: 65534,
      gid: 65534,
      cwd: '/',
    })
    expect(JSON.parse(result.stdout)).toMatchObject({
      id: null,
      error: { code: -32001, data: { kind: 'PEER_REJECTED' } },
    })
  })
})
