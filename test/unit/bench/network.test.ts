/**
 * Connections of the group `network`: its programs, and what becomes of their figures.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Burst, type ConnectionFigures } from '../../bench/connections/client.ts'
import { rows } from '../../bench/groups/network.ts'
import { cpuTimeNs } from '../../bench/machine/process-figures.ts'
import { createProcesses } from '../../bench/machine/processes.ts'
import { compile } from '../../bench/machine/programs.ts'
import { toRow } from '../../bench/row.ts'

const address = '127.0.0.1'
const processes = createProcesses()
let folder: string
let client: string
let server: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-bench-test-'))
  client = await compile('tcp-client', { folder, processes })
  server = await compile('tcp-server', { folder, processes })
}, 60_000)

afterAll(async () => {
  await processes.stopAll()
  await rm(folder, { recursive: true })
})

const connectTo = (port: number, serverPid: number, burst: Partial<Burst>) => {
  const connect = createClient({ program: client, port, serverPid, placement: [], processes })
  return connect({ prefix: [], address, seconds: 30, ...burst })
}

async function listen(answer: (socket: Socket) => void) {
  const listener = createServer(answer)
  await once(listener.listen(0, address), 'listening')
  const { port } = listener.address() as AddressInfo
  return { port, close: async () => void (await once(listener.close(), 'close')) }
}

/** One that was free just now. */
async function freePort(): Promise<number> {
  const { port, close } = await listen(() => {})
  await close()
  return port
}

describe('connections one after another', { timeout: 60_000 }, () => {
  test('are as many as were asked for, and cost both ends', async () => {
    const port = await freePort()
    const { pid, stop } = await processes.start([server, String(port)])
    const before = cpuTimeNs(pid)
    const { connections, cpuUs, perSecond } = await connectTo(port, pid, { maxConnections: 2000 })
    const serverUs = (cpuTimeNs(pid) - before) / 1000
    expect(connections).toBe(2000)
    expect(serverUs).toBeGreaterThan(0)
    expect(cpuUs * connections).toBeGreaterThan(serverUs)
    expect(perSecond).toBeGreaterThan(0)
    await stop()
  })

  test('end with their time', async () => {
    const port = await freePort()
    const { pid, stop } = await processes.start([server, String(port)])
    const { connections } = await connectTo(port, pid, { seconds: 0.1 })
    expect(connections).toBeGreaterThan(0)
    await stop()
  })

  test.each([
    ['another byte', (socket: Socket) => socket.end('y'), 'expected the byte back'],
    ['no byte', (socket: Socket) => socket.end(), 'expected the byte back'],
    ['one byte too many', (socket: Socket) => socket.end('xx'), 'expected the end after it'],
  ])('fail when they get %s', async (_, answer, complaint) => {
    const wrong = await listen((socket) => answer(socket.on('error', () => {}).resume()))
    await expect(connectTo(wrong.port, process.pid, {})).rejects.toThrow(complaint)
    await wrong.close()
  })

  test('fail where nobody listens', async () => {
    const port = await freePort()
    await expect(connectTo(port, process.pid, {})).rejects.toThrow('Connection refused')
  })
})

describe('rows', () => {
  const bursts = (...cpuUs: number[]): ConnectionFigures[] =>
    cpuUs.map((us) => ({ cpuUs: us, perSecond: 1e6 / us, connections: 100 }))
  const figures = {
    plain: bursts(50, 100, 60),
    admitted: bursts(55, 109, 66),
    host: bursts(40),
    shared: bursts(44),
    others: bursts(41),
    limited: [{ cpuUs: 99, perSecond: 10, connections: 50 }],
  }
  const measured = (given: typeof figures) => rows(given).map((one) => toRow('network', one))

  test('compare each burst with the one that was made just before it', () => {
    const [cost, difference] = measured(figures)
    expect(cost).toMatchObject({ holds: true, unit: 'µs' })
    expect(cost!.ratio!.median).toBeCloseTo(1.1)
    expect(cost!.ratio!.min).toBeCloseTo(1.09)
    expect(difference!.value).toBeCloseTo(6)
  })

  test('say when the extension costs too much', () => {
    const [cost] = measured({ ...figures, admitted: bursts(56, 112, 67) })
    expect(cost).toMatchObject({ holds: false })
  })

  test.each([
    [8.9, false],
    [9.1, true],
    [10.9, true],
    [11.1, false],
  ])('of %d connections/s that were to be limited to 10', (perSecond, holds) => {
    const limited = [{ cpuUs: 99, perSecond, connections: 50 }]
    expect(measured({ ...figures, limited }).at(-1)).toMatchObject({ value: perSecond, holds })
  })

  test('know the other ways of the first rounds only', () => {
    const beside = measured(figures).find(({ name }) => name.includes('beside the host'))
    expect(beside).toMatchObject({ value: 50, floor: 40 })
  })
})
