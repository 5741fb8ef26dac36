import { describe, expect } from 'vitest'
import { echoPort, hostPort, publicAddress, ruleListeners } from '../../../support/network-lab.ts'
import type { BurstAnswer, ReachAnswer } from '../../../support/network-probe.ts'
import { canShare, sharedTestMs, sharedTests } from '../../../support/shared-networks.ts'

const test = sharedTests()

describe.skipIf(!canShare)('a flush of all rules of the host', { timeout: sharedTestMs }, () => {
  test('is repaired at once: the owner, its control groups and admitted addresses', async ({
    shared,
  }) => {
    const { lab, networks } = shared
    await using job = await shared.job()
    const [admitted, revoked] = [publicAddress(81), publicAddress(82)]
    const verified = [admitted, revoked].map((address) => ({ address, seconds: 60 }))
    await job.admit(verified)
    await job.revoke([revoked])
    await expect.poll(() => ruleListeners(lab.host)).not.toBe('')
    await lab.host.script('nft flush ruleset')
    const tables = () => lab.host.script('nft list tables')
    await expect.poll(tables).toContain('causeway-shared-')
    const reached = await job.probe<ReachAnswer>('reach-tcp', '127.0.0.1', String(hostPort))
    expect(reached.answered).toBe(false)
    const opened = async (address: string) =>
      (await job.probe<BurstAnswer>('tcp', address, echoPort, '--count=100', '--ms=300')).opened
    expect(await opened(admitted)).toBe(100)
    expect(await opened(revoked)).toBeLessThan(40)
    await job.release()
    await networks.ask('', 'close')
    expect(await tables()).toBe('')
  })
})
