import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test as base } from 'vitest'
import { closeFd } from '../../../../native/src/process/index.ts'
import { createNetwork } from '../../../../native/src/network/index.ts'
import type { JobNetwork, KernelNetwork } from '../../../../runtime/src/job-network/contract.ts'
import { hostFaces } from '../../../support/host-faces.ts'
import { recordingNetwork } from '../../../support/verifications.ts'

const isRoot = process.getuid?.() === 0
const none = { admitted: 0, limited: 0, refused: 0 }

function kernelSide(namespace?: number): KernelNetwork & { calls: string[] } {
  return {
    ...recordingNetwork(),
    state: { mode: 'isolated', missing: [] },
    namespace,
    attach: async () => {},
    counters: async () => none,
    release: async () => {},
  }
}

describe('connections that the host opens for a job', () => {
  const test = base.extend<{ port: number }>({
    port: async ({}, use) => {
      const server = createServer((socket) => socket.end('here')).listen(0, '127.0.0.1')
      await once(server, 'listening')
      await use((server.address() as AddressInfo).port)
      server.close()
    },
  })

  test('go to addresses that the job may reach', async ({ port }) => {
    const target = { host: 'localhost', port }
    const closed = await hostFaces(kernelSide()).open()
    const refusal = 'localhost (127.0.0.1): not an address that may be reached'
    await expect(closed.egress.dial(target)).rejects.toThrow(refusal)
    const opened = await hostFaces(kernelSide(), { allow: ['127.0.0.0/8'] }).open()
    expect(await text(await opened.egress.dial(target))).toBe('here')
    const allows = [closed, opened].map(({ egress }) => egress.allows('127.0.0.1'))
    expect(allows).toEqual([false, true])
  })

  test('are judged by the settings as they are, from the next execution on', async ({ port }) => {
    const networks = hostFaces(kernelSide())
    const { settings } = networks
    const before = await networks.open()
    settings.allow = ['127.0.0.0/8']
    expect(before.egress.allows('127.0.0.1')).toBe(false)
    await before.release()
    const after = await networks.open()
    expect(await text(await after.egress.dial({ host: 'localhost', port }))).toBe('here')
    await after.release()
    settings.allow = []
    expect((await networks.open()).egress.allows('127.0.0.1')).toBe(false)
    await networks.close()
  })

  test('have one rate over all executions; those to admitted addresses do not wait', async ({
    port,
  }) => {
    const settings = { connectionsPerSecond: 1, connectionBurst: 2, allow: ['127.0.0.0/8'] }
    const networks = hostFaces(kernelSide(), settings)
    const first = await networks.open()
    // Ten places in the line are ten seconds: no test is so slow that the next one need not wait.
    const dialled = Array.from({ length: 12 }, () => dialOrGiveUp(first, port))
    expect(await Promise.all(dialled)).toContain('waits')
    const { limited } = first.egress.counters()
    await first.release()
    const second = await networks.open()
    expect(await dialOrGiveUp(second, port)).toBe('waits')
    expect(second.egress.counters().limited).toBe(limited + 1)
    await second.admit([{ address: '127.0.0.1', seconds: 60 }])
    expect(await dialOrGiveUp(second, port)).toBe('here')
    expect(second.egress.counters().admitted).toBe(1)
    await second.revoke(['127.0.0.1'])
    expect(await dialOrGiveUp(second, port)).toBe('waits')
    await second.admit([{ address: '127.0.0.1', seconds: 60 }])
    await second.release()
    expect(await dialOrGiveUp(await networks.open(), port)).toBe('waits')
    await networks.close()
  })
})

async function dialOrGiveUp({ egress }: JobNetwork, port: number): Promise<string> {
  const giveUp = new AbortController()
  const { limited } = egress.counters()
  const dialled = egress.dial({ host: '127.0.0.1', port }, giveUp.signal)
  await setImmediate()
  if (egress.counters().limited > limited) giveUp.abort('waits')
  return dialled.then(text, (reason: unknown) => String(reason))
}

describe.skipIf(!isRoot)('inside a job’s network (only root may make one)', () => {
  base('the host listens and connects, until the execution is over', async () => {
    const namespace = createNetwork()
    const inside = await hostFaces(kernelSide(namespace)).open()
    const server = await inside.listen('127.0.0.1', 0)
    server.on('connection', (socket) => socket.end('inside'))
    const { port } = server.address() as AddressInfo
    expect(await text(inside.connect('127.0.0.1', port))).toBe('inside')
    const outside = await hostFaces(kernelSide()).open()
    const [error] = await once(outside.connect('127.0.0.1', port), 'error')
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
    await expect(inside.listen('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await inside.release()
    expect(() => inside.connect('127.0.0.1', port)).toThrow('the execution of this network is over')
    server.close()
    closeFd(namespace)
  })
})
