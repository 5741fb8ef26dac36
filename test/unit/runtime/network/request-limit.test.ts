import { describe, expect } from 'vitest'
import { requestLimit } from '../../../../runtime/src/job-network/rules/ruleset.ts'
import { isolatedTest as test } from '../../../support/isolated-lab.ts'
import {
  echoPort,
  isRoot,
  needsRoot,
  publicAddress,
  publicAddress6,
} from '../../../support/network-lab.ts'
import type { BurstAnswer } from '../../../support/network-probe.ts'

describe.skipIf(!isRoot)(`networkRequests of an isolated job (${needsRoot})`, () => {
  test('still applies when the kernel’s counter wraps, until `renew`', async ({ isolated }) => {
    const burst = (address: string) =>
      isolated.probe<BurstAnswer>('tcp', address, echoPort, '--count=100', '--ms=9000')
    // The kernel counts to 2^32, which would take hours.
    const limit = requestLimit(5).replace('4294967295', '20')
    expect(limit).not.toBe(requestLimit(5))
    for (let execution = 0; execution < 2; execution++) {
      await isolated.nft.apply(limit)
      expect(await burst(publicAddress(1))).toMatchObject({ opened: 5, refused: 95 })
      expect(await burst(publicAddress6(1))).toMatchObject({ opened: 0, refused: 100 })
    }
  }, 60_000)
})
