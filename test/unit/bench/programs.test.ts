/**
 * The C programs, compiled and run for a moment.
 */
import { spawn } from 'node:child_process'
import { EventEmitter, on, once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openControl } from '../../bench/machine/control.ts'
import { descriptorsReach, holdConnections } from '../../bench/machine/held-connections.ts'
import { createLoad, type Load } from '../../bench/machine/load.ts'
import { openDescriptors } from '../../bench/machine/process-figures.ts'
import { createProcesses } from '../../bench/machine/processes.ts'
import { compile, programNames, type ProgramName } from '../../bench/machine/programs.ts'
import { startUnasked } from '../../bench/servers/others.ts'
import {
  askServer,
  fullLengthName,
  trivialRequest,
  type Server,
} from '../../bench/servers/server.ts'

const reply = '{"jsonrpc":"2.0","id":"1","result":{}}\n'
const processes = createProcesses()
const programs = new Map<ProgramName, string>()
let folder: string
let load: Load

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-bench-test-'))
  await chmod(folder, 0o755)
  for (const name of programNames) {
    const isStatic = name === 'job-client'
    programs.set(name, await compile(name, { folder, processes, isStatic }))
  }
  load = createLoad({ command: [programs.get('load-client')!], folder, processes })
}, 120_000)

afterAll(async () => {
  await processes.stopAll()
  await rm(folder, { recursive: true })
})

const startFloor = (program: 'floor' | 'admission-floor', ahead: number): Promise<Server> => {
  const command = [programs.get(program)!]
  const name = `${program} ${ahead}`
  return startUnasked({ name, command, extra: [String(ahead)], reply, folder, processes })
}

describe('the floor', { timeout: 60_000 }, () => {
  test('answers one line and closes', async () => {
    const floor = await startFloor('floor', 8)
    expect(await askServer(floor.socket, trivialRequest)).toBe(reply)
    await floor.stop()
  })

  test.each([1, 8])('answers every call, %d ahead', async (ahead) => {
    const floor = await startFloor('floor', ahead)
    for (const clients of [1, 16, 256]) {
      const figures = await load(floor, { clients, seconds: 0.2 })
      expect(figures.calls).toBeGreaterThan(0)
      expect(figures.errors).toBe(0)
      expect(figures.cpuUs).toBeGreaterThan(0)
      expect(figures.p99Us).toBeGreaterThanOrEqual(figures.p50Us)
    }
    await floor.stop()
  })
})

describe('the load client', { timeout: 60_000 }, () => {
  test('makes as many calls as it is told', async () => {
    const floor = await startFloor('floor', 1)
    const { calls } = await load(floor, { clients: 16, seconds: 30, maxCalls: 1000 })
    expect(calls).toBe(1000)
    await floor.stop()
  })

  test.each([
    ['another byte', reply.replace('1', '2')],
    ['a byte more than expected', reply.slice(0, -1)],
    ['a byte less than expected', `${reply}\n`],
  ])('counts %s as an error', async (_, expected) => {
    const floor = await startFloor('floor', 1)
    const wrong = load({ ...floor, reply: expected }, { clients: 4, seconds: 30, maxCalls: 8 })
    await expect(wrong).rejects.toThrow('no call was answered rightly, 8 were wrong')
    await floor.stop()
  })

  test('can do without sleep', async () => {
    const floor = await startFloor('floor', 8)
    const command = [programs.get('load-client')!]
    const spinning = createLoad({ command, folder, processes, spins: true })
    const figures = await spinning(floor, { clients: 16, seconds: 30, maxCalls: 1000 })
    expect(figures).toMatchObject({ calls: 1000, errors: 0 })
    await floor.stop()
  })

  test('does not go on for ever where nobody listens', async () => {
    const floor = await startFloor('floor', 1)
    const nobody = load({ ...floor, socket: 'causeway-nobody' }, { clients: 4, seconds: 0.2 })
    await expect(nobody).rejects.toThrow('no call was answered rightly')
    await floor.stop()
  })

  test('as a job it does what the control says', async () => {
    const control = await openControl()
    const floor = await startFloor('floor', 1)
    const jobFolder = await mkdtemp(join(folder, 'job-'))
    await writeFile(join(jobFolder, 'request'), trivialRequest)
    await writeFile(join(jobFolder, 'reply'), reply)
    const env = { CONTROL_SOCKET: control.socket, BRIDGE_SOCKET: floor.socket }
    const job = spawn(programs.get('job-client')!, [], { cwd: jobFolder, env, stdio: 'ignore' })
    const ended = once(job, 'exit')
    for (const name of ['bridge', floor.socket]) {
      const figures = await control.burst(name, { clients: 16, seconds: 30, maxCalls: 100 })
      expect(figures).toMatchObject({ calls: 100, errors: 0 })
    }
    control.close()
    expect(await ended).toEqual([0, null])
    await floor.stop()
  })
})

describe('a C server that signs', { timeout: 60_000 }, () => {
  const key = Buffer.alloc(32, 7)
  const digests = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
  const replyWith = (bytes: Uint8Array) =>
    `{"jsonrpc":"2.0","id":"1","result":{"bytes":"${Buffer.from(bytes).toString('hex')}"}}\n`
  const requests = digests.map((digest) => `{"bytes":"${digest.toString('hex')}"}\n`)
  const replies = digests.map((digest) =>
    replyWith(secp256k1.sign(digest, key, { prehash: false, lowS: true })),
  )
  const burst = { clients: 4, seconds: 30, maxCalls: 300 }

  const startSigning = async () => {
    const keyFile = join(folder, 'key')
    await writeFile(keyFile, key)
    const command = [programs.get('signing-server')!]
    const extra = ['1', keyFile]
    const options = { name: 'signing', command, extra, folder, processes }
    const server = await startUnasked({ ...options, reply: replyWith(Buffer.alloc(64)) })
    return { ...server, request: requests.join(''), exchanges: requests.length }
  }

  test('gives the signature that noble gives, to every request its own', async () => {
    const server = await startSigning()
    const figures = await load({ ...server, reply: replies.join('') }, burst)
    expect(figures).toMatchObject({ calls: 300, errors: 0 })
    await server.stop()
  })

  test('a signature of another digest is counted as an error', async () => {
    const server = await startSigning()
    const swapped = [replies[0], replies[2], replies[1]].join('')
    const figures = await load({ ...server, reply: swapped }, burst)
    expect(figures).toMatchObject({ calls: 100, errors: 200 })
    await server.stop()
  })

  test('requests of several lengths are refused', async () => {
    const server = await startSigning()
    const reply = replies.join('').slice(1)
    await expect(load({ ...server, reply }, burst)).rejects.toThrow('3 requests of one length')
    await server.stop()
  })
})

test('libsecp256k1 says how many signatures it makes', { timeout: 60_000 }, async () => {
  const line = await processes.run([programs.get('secp256k1-speed')!, '0.05'], 30_000)
  expect(JSON.parse(line)).toEqual({ signsPerSecond: expect.any(Number) })
  expect(JSON.parse(line).signsPerSecond).toBeGreaterThan(0)
})

describe('the floor with admission', { timeout: 60_000 }, () => {
  const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
  const burst = { clients: 16, seconds: 30, maxCalls: 1000 }

  test('answers every call of the one job', async () => {
    const floor = await startFloor('admission-floor', 8)
    // Each load is a process of its own.
    expect(await load(floor, burst)).toMatchObject({ calls: 1000, errors: 0 })
    expect(await load(floor, burst)).toMatchObject({ calls: 1000, errors: 0 })
    await floor.stop()
  })

  test('refuses another uid and another PID namespace', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can call as somebody else')
    const floor = await startFloor('admission-floor', 1)
    await load(floor, burst)
    for (const prefix of [asNobody, ['unshare', '--pid', '--fork']]) {
      const command = [...prefix, programs.get('load-client')!]
      const stranger = createLoad({ command, folder, processes })
      const refused = stranger(floor, { clients: 4, seconds: 30, maxCalls: 8 })
      await expect(refused, prefix[0]).rejects.toThrow('no call was answered rightly, 8 were wrong')
    }
    await floor.stop()
  })
})

describe('held connections', { timeout: 60_000 }, () => {
  test('are open until they are let go', async () => {
    const floor = await startFloor('floor', 1)
    const before = openDescriptors(floor.pid)
    const options = { processes, program: programs.get('hold')!, count: 200, byteEveryMs: 0 }
    const holder = await holdConnections(floor, options)
    expect(openDescriptors(floor.pid)).toBe(before + 200)
    await holder.stop()
    expect(await descriptorsReach(floor.pid, (open) => open <= before)).toBe(before)
    await floor.stop()
  })

  test('get a byte now and then, and are opened again when the server closes', async () => {
    const accepted = new EventEmitter()
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', (byte) => accepted.emit('byte', byte.toString()))
      socket.once('data', () => socket.destroy())
    })
    const name = fullLengthName()
    await once(server.listen({ path: `\0${name}` }), 'listening')
    const bytes = on(accepted, 'byte')
    const holder = await processes.start([programs.get('hold')!, name, '4', '40'])
    // More than there are connections at a time.
    for (let count = 0; count < 12; count++) expect((await bytes.next()).value).toEqual(['x'])
    await holder.stop()
    await promisify(server.close.bind(server))()
  })
})
