import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect } from 'vitest'
import { networkSettings } from '../../../../runtime/src/job-network/settings.ts'
import { runProgram } from '../../../../runtime/src/job-network/program.ts'
import {
  emptyQueues,
  layQueues,
  NoQueuesError,
  queuesOf,
} from '../../../../runtime/src/job-network/isolated/rate-queues.ts'
import type { NetworkSettings } from '../../../../runtime/src/job-network/settings.ts'
import { isolatedTest as test, type IsolatedLab } from '../../../support/isolated-lab.ts'
import { echoPort, isRoot, needsRoot, publicAddress } from '../../../support/network-lab.ts'
import { settings } from '../../../support/shared-networks-process.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { thrownBy } from '../../../support/thrown.ts'

const timeout = 60_000
const most = 2 ** 32 - 1

const corners: readonly Partial<NetworkSettings>[] = [
  {},
  { connectionsPerSecond: 1, connectionBurst: 1, dnsPerSecond: 1, dnsBurst: 1 },
  { connectionsPerSecond: 1, connectionBurst: 200, dnsPerSecond: 1, dnsBurst: 200 },
  { connectionsPerSecond: 1000, connectionBurst: 100_000, dnsPerSecond: 500, dnsBurst: 71_500 },
  { connectionsPerSecond: 5000, connectionBurst: 1_000_000, dnsPerSecond: 100_000, dnsBurst: 1 },
  { connectionsPerSecond: 100_000, connectionBurst: 1_000_000, dnsBurst: 10_000 },
  { bytesPerSecond: 2000, byteBurst: 65_536 },
  { bytesPerSecond: 10_000 },
  { bytesPerSecond: 2000, byteBurst: most },
  { bytesPerSecond: most, byteBurst: most },
  { bytesPerSecond: 25_000_000, byteBurst: most },
  { bytesPerSecond: 0, byteBurst: most },
]

interface Class {
  handle: string
  rate: number
  burst: number
}

/** The classes as the kernel lists them. */
async function classes(namespace: number): Promise<Class[]> {
  const said = await runProgram('tc', ['-d', 'class', 'show', 'dev', 'eth0'], { inside: namespace })
  return said
    .trim()
    .split('\n')
    .map((line) => {
      const [, handle, rate, burst] = / (1:\d) .* rate (\S+)bit .* burst (\S+)b\/1 /.exec(line)!
      return { handle: handle!, rate: scaled(rate!, 1000) / 8, burst: scaled(burst!, 1024) }
    })
    .sort((one, other) => one.handle.localeCompare(other.handle))
}

const scaled = (text: string, unit: number) =>
  Number.parseFloat(text) * unit ** ' KMG'.indexOf(/[KMG]?$/.exec(text)![0] || ' ')

const removeQueues = ({ namespace }: IsolatedLab) =>
  runProgram('tc', ['qdisc', 'del', 'dev', 'eth0', 'root'], { inside: namespace })

/** How many packets wait in the queue of connections. */
async function waiting({ namespace }: IsolatedLab): Promise<number> {
  const args = ['-s', '-j', 'qdisc', 'show', 'dev', 'eth0']
  const rows = JSON.parse(await runProgram('tc', args, { inside: namespace })) as {
    handle: string
    qlen: number
  }[]
  return rows.find(({ handle }) => handle === '12:')!.qlen
}

const connectMany = (count: number) => `
import socket
for _ in range(${count}):
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(("${publicAddress(1)}", ${echoPort}))
    s.detach()`

describe.skipIf(!isRoot)(`queues of an isolated network (${needsRoot})`, { timeout }, () => {
  test('have the rates that were set, for any settings', async ({ isolated }) => {
    for (const corner of corners) {
      const queues = queuesOf(v.parse(networkSettings, corner))
      await removeQueues(isolated)
      await layQueues(isolated.namespace, queues)
      const laid = await classes(isolated.namespace)
      const wanted = [queues.begin, queues.bytes, queues.names]
      for (const [index, { rate, burst }] of wanted.entries()) {
        const said = `${JSON.stringify(corner)} ${laid[index]!.handle}`
        expect(laid[index]!.rate / rate, said).toBeCloseTo(1, 2)
        // tc shows a burst rounded to whole microseconds.
        const shown = Math.abs(laid[index]!.burst - burst)
        expect(shown, said).toBeLessThan(burst / 1000 + rate / 1_000_000)
      }
    }
  })

  test('let name queries wait as long as a resolver does, connections longer', () => {
    expect(queuesOf(settings).names.length).toBe(2 * settings.dnsPerSecond)
    expect(queuesOf(settings).begin.length).toBe(30 * settings.connectionsPerSecond)
  })

  test('are emptied for the next execution, and the state of their limits stays', async ({
    isolated,
  }) => {
    await isolated.python(connectMany(200))
    expect(await waiting(isolated)).toBeGreaterThan(100)
    await emptyQueues(isolated.namespace, isolated.queues)
    expect(await waiting(isolated)).toBe(0)
    await isolated.python(connectMany(settings.connectionBurst))
    expect(await waiting(isolated)).toBeGreaterThan(0)
  })

  test('that the kernel lacks are distinguished from other failures', async ({ isolated }) => {
    const { namespace } = isolated
    const unknown = ['qdisc', 'add', 'dev', 'lo', 'root', 'cwnone']
    const { message } = (await thrownBy(() =>
      runProgram('tc', unknown, { inside: namespace }),
    )) as Error
    const wrong = { ...isolated.queues, begin: { ...isolated.queues.begin, burst: 2 ** 33 } }
    await removeQueues(isolated)
    const other = (await thrownBy(() => layQueues(namespace, wrong))) as Error
    expect(other.message).toBe('tc: Illegal "burst"')
    expect(other).not.toBeInstanceOf(NoQueuesError)
    await using _lacking = await kernelThatSays(message.replace(/^tc: /, 'Error: '))
    await expect(layQueues(namespace, isolated.queues)).rejects.toThrow(NoQueuesError)
  })
})

/** Replaces tc(8), for this process, by one that fails with a message. */
async function kernelThatSays(message: string): Promise<AsyncDisposable> {
  const folder = await temporaryFolder()
  const program = join(folder.path, 'tc')
  writeFileSync(program, `#!/bin/sh\ncat >/dev/null\necho '${message}' >&2\nexit 2\n`)
  chmodSync(program, 0o755)
  const before = process.env['PATH']
  process.env['PATH'] = `${folder.path}:${before}`
  return {
    async [Symbol.asyncDispose]() {
      process.env['PATH'] = before
      await folder[Symbol.asyncDispose]()
    },
  }
}
