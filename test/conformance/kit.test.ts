/**
 * Tests the kit against `causeway serve`, and its parts. `faults.test.ts` tests its findings,
 * `command.test.ts` its command.
 */
import { EventEmitter, once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { serveAbstract } from './abstract-server.ts'
import { ids } from './faults.ts'
import { fillBacklog } from './full-backlog.ts'
import { nodeForm, otherForm } from './kit/src/address.ts'
import { openBridge } from './kit/src/bridge.ts'
import { allChecks } from './kit/src/checks/all-checks.ts'
import { conformance } from './kit/src/conformance.ts'
import { unreachable } from './kit/src/reach.ts'
import type { Report, Status } from './kit/src/report.ts'
import { isBuilt, serveDeployment } from './serve-deployment.ts'

const allIds = allChecks.map(({ id }) => id)

const idsOf = ({ rows }: Report, status: Status) =>
  rows.filter((row) => row.status === status).map(({ id }) => id)

test('every check has a unique id and title', () => {
  expect(new Set(allIds).size).toBe(allIds.length)
  for (const { id, section, title } of allChecks) {
    expect(id).toMatch(/^[a-z]+(?:\.[a-z0-9-]+)$/)
    expect({ section, title }).toEqual({
      section: expect.stringMatching(/./),
      title: expect.stringMatching(/./),
    })
  }
})

describe.skipIf(!isBuilt).concurrent('against causeway serve; needs a build', () => {
  test('passes', { timeout: 120_000 }, async () => {
    await using host = await serveDeployment()
    const report = await conformance(host.socket)
    expect(report.rows.filter(({ status }) => status === 'failed')).toEqual([])
    expect(report.rows.map(({ id }) => id)).toEqual(allIds)
    expect(report.counts.passed).toBeGreaterThan(150)
  })

  test('skips what the deployment may not call', { timeout: 120_000 }, async () => {
    const deployment = { policy: { methods: ['processor_*'] } }
    await using restricted = await serveDeployment({ deployment })
    const report = await conformance(restricted.socket)
    expect(idsOf(report, 'failed')).toEqual([])
    expect(idsOf(report, 'skipped')).toEqual(expect.arrayContaining(ids('sign.')))
    expect(idsOf(report, 'skipped')).toEqual(expect.arrayContaining(ids('deployment.')))
  })

  test('checks methods above the version that the bridge advertises', async () => {
    await using older = await serveDeployment({ config: '[bridge]\nlevel = "1.25.0"\n' })
    const checks = allChecks.filter(({ id }) => /^(?:version|discover)\./.test(id))
    const { counts } = await conformance(older.socket, { checks })
    expect(counts).toEqual({ passed: checks.length, failed: 0, skipped: 0 })
  })
})

test('a check that throws anything at all is a failed row', async () => {
  const run = () => Promise.reject(new TypeError('not foreseen'))
  const checks = [{ id: 'x.y', section: 'x', title: 'x', run }]
  const { rows } = await conformance('nobody-listens', { checks })
  const detail = {
    expected: 'what this check can judge',
    found: 'it threw "TypeError: not foreseen"',
  }
  expect(rows).toEqual([expect.objectContaining({ status: 'failed', detail })])
})

describe('a closed bridge', () => {
  test('ends connections that are opened later', async () => {
    const clients = new EventEmitter()
    await using server = await serveAbstract((client) => {
      client.on('end', () => clients.emit('end')).resume()
    })
    const ended = once(clients, 'end')
    const bridge = openBridge({ name: server.name, timeoutMs: 60_000 })
    const opening = bridge.open()
    bridge.close()
    await expect(opening).rejects.toThrow('found the end of the check')
    await ended
  })

  test('does not wait for a retry', async () => {
    const error = { code: -32005, message: 'later', data: { retryAfterMs: 60_000 } }
    const later = `${JSON.stringify({ jsonrpc: '2.0', id: '1', error })}\n`
    const clients = new EventEmitter()
    await using server = await serveAbstract((client) => {
      client
        .on('close', () => clients.emit('close'))
        .resume()
        .end(later)
    })
    const bridge = openBridge({ name: server.name, timeoutMs: 60_000 })
    const asking = bridge.exchange(['{}\n'])
    await Promise.race([once(clients, 'close'), asking])
    bridge.close()
    await expect(asking).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a socket that cannot be reached', () => {
  const replying = () => serveAbstract((client) => client.resume().end('{}\n'), [otherForm])

  test('is reported to listen on the other form of the address', async () => {
    await using bridge = await replying()
    const reason = await unreachable({ name: bridge.name, timeoutMs: 60_000 })
    expect(reason).toMatch(/ECONNREFUSED .* it listens on .* only: run the kit with Node 2/)
  })

  test('is not reported so when only its queue is full', async () => {
    await using bridge = await replying()
    await using _full = await fillBacklog(bridge.name, nodeForm)
    const reason = await unreachable({ name: bridge.name, timeoutMs: 60_000 })
    expect(reason).toMatch(/cannot be reached: EAGAIN \(tried [^;]+\)$/)
  })
})
