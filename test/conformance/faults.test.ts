/**
 * Tests the kit itself: a bridge with one fault fails in exactly the rows about it, and servers
 * that are no bridges fail in every row. Most of a run is waiting, so several run at once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBrokenBridge, type Asked, type Fault } from './broken-bridge.ts'
import { serveAbstract } from './abstract-server.ts'
import { faults } from './faults.ts'
import { hostileBridges } from './hostile-bridges.ts'
import { allChecks } from './kit/src/checks/all-checks.ts'
import { conformance } from './kit/src/conformance.ts'
import type { Report } from './kit/src/report.ts'
import { isBuilt, serveDeployment, type ServedDeployment } from './serve-deployment.ts'

const allIds = allChecks.map(({ id }) => id)

const failedIds = ({ rows }: Report) =>
  rows.filter(({ status }) => status === 'failed').map(({ id }) => id)

let host: ServedDeployment

/** Runs the kit against a real bridge with the fault. */
async function runWith(fault: Fault, checks = allChecks): Promise<Report> {
  await using bridge = await startBrokenBridge(host.socket, fault)
  // Await it here, before the bridge closes.
  return await conformance(bridge.name, { checks })
}

/**
 * All checks but the one that takes as long as all others together; `crowd.sixteen` covers it,
 * unless the fault is about it.
 */
function checksFor(failed: readonly string[]) {
  return allChecks.filter(({ id }) => id !== 'crowd.thousand' || failed.includes(id))
}

describe.concurrent('the conformance kit', { timeout: 180_000 }, () => {
  describe.skipIf(!isBuilt)('needs a build', () => {
    // Without limits, or the runs would disturb each other.
    beforeAll(async () => void (host = await serveDeployment({ flags: ['--no-limits'] })), 30_000)
    afterAll(() => host[Symbol.asyncDispose]())

    test.for(faults)('finds: $name', async ({ fault, failed }) => {
      const checks = checksFor(failed)
      const report = await runWith(fault, checks)
      expect(report.rows).toHaveLength(checks.length)
      expect(failedIds(report).sort()).toEqual([...failed].sort())
    })

    test('calls no method that would change anything', async () => {
      const called = new Set<string>()
      const intercept = ({ text }: Asked) => {
        for (const [, method] of text.matchAll(/"method":"(\w+_\w+)"/g)) called.add(method!)
        return false
      }
      expect(failedIds(await runWith({ intercept }))).toEqual([])
      const others = [...called].filter((name) => /^(?:browser|network|tunnel)_/.test(name)).sort()
      expect(others).toEqual(onlyAsked)
    })
  })

  test('fails every row of a bridge that never answers', async () => {
    await using bridge = await serveAbstract((client) => void client.resume())
    const report = await conformance(bridge.name, { timeoutMs: 50 })
    expect(failedIds(report)).toEqual(allIds)
    const found = report.rows.map(({ detail }) => detail)
    expect(found).toContainEqual({ expected: 'a reply', found: 'no reply within 50 ms' })
  })

  test.for(hostileBridges)('fails every row of: $name', async ({ meet }) => {
    await using bridge = await serveAbstract(meet)
    expect(failedIds(await conformance(bridge.name))).toEqual(allIds)
  })
})

/** The methods it called; the host for `network_whitelist` is invalid. */
const onlyAsked = [
  'browser_debugUrl',
  'browser_openTabs',
  'browser_surfaceSize',
  'network_whitelist',
  'tunnel_certPem',
  'tunnel_status',
]
