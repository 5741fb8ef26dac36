import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { mostGroupsOfTable } from '../../../../runtime/src/job-network/shared/shared-network.ts'
import { echoPort, publicAddress, publicAddress6 } from '../../../support/network-lab.ts'
import type { BurstAnswer, ReachAnswer } from '../../../support/network-probe.ts'
import {
  canShare,
  sharedTestMs,
  sharedTests,
  type SharedLab,
} from '../../../support/shared-networks.ts'
import type { SharedJob } from '../../../support/shared-job.ts'
import { startNetworks } from '../../../support/shared-networks-process.ts'

const test = sharedTests()

/** Tables in the host's namespace. */
async function tables({ lab }: SharedLab): Promise<string[]> {
  const { nftables } = JSON.parse(await lab.host.script('nft -j list tables')) as {
    nftables: { table?: { name: string } }[]
  }
  return nftables.flatMap(({ table }) => table?.name ?? [])
}

interface Element {
  elem: { val: string; timeout: number; expires: number }
}

/** The addresses that a table admits. */
async function admitted({ lab }: SharedLab, table: string, set: string) {
  const { nftables } = JSON.parse(
    await lab.host.script(`nft -j list set inet ${table} ${set}`),
  ) as { nftables: { set?: { elem?: Element[] } }[] }
  return nftables.flatMap(({ set: found }) => found?.elem ?? []).map(({ elem }) => elem)
}

const burst = async (job: SharedJob, address: string) =>
  (await job.probe<BurstAnswer>('tcp', address, echoPort, '--count=100', '--ms=300')).opened

describe.skipIf(!canShare)('tables of shared networks', { timeout: sharedTestMs }, () => {
  test('are made for each deployment and go with it', async ({ shared }) => {
    const networks = await startNetworks(shared.lab)
    await using job = await shared.job({ networks })
    await using other = await shared.job({ networks })
    expect(await tables(shared)).toHaveLength(2)
    expect(await job.state()).toEqual({ mode: 'shared', missing: [] })
    await job.release()
    await other.release()
    await networks.ask('', 'close')
    expect(await tables(shared)).toEqual([])
    await networks[Symbol.asyncDispose]()
  })

  test.for(['the next process', 'a living process, before others get its ids'])(
    'that a killed process has left are removed by %s',
    async (remover, { shared }) => {
      const networks = await startNetworks(shared.lab)
      await using living = await shared.job()
      const others = await tables(shared)
      await using _lost = await shared.job({ networks })
      const left = (await tables(shared)).filter((name) => !others.includes(name))
      expect(left).toHaveLength(1)
      await networks.kill()
      expect(await tables(shared)).toEqual(expect.arrayContaining(left))
      const start = () =>
        remover === 'the next process' ? startNetworks(shared.lab) : shared.job()
      await using _remover = await start()
      expect(await tables(shared)).toEqual(expect.arrayContaining(others))
      expect(await tables(shared)).not.toEqual(expect.arrayContaining(left))
      await living.release()
    },
  )

  test('keep their limits for the next execution, and nothing else', async ({ shared }) => {
    const [address, other] = [publicAddress(2), publicAddress(3)]
    const first = await shared.job({ deployment: 'again' })
    await first.admit([{ address, seconds: 60 }])
    expect(await burst(first, address)).toBe(100)
    await burst(first, other)
    await first.release()
    await first[Symbol.asyncDispose]()
    await using second = await shared.job({ deployment: 'again' })
    expect(second.uid).not.toBe(first.uid)
    expect(await burst(second, address)).toBeLessThan(20)
    const own = await second.probe('own')
    expect(own).toMatchObject({ tcp4: 'none', udp4: 'none', tcp6: 'none', udp6: 'none' })
    await second.release()
  })

  test('are replaced before they contain too many removed control groups', async ({ shared }) => {
    const deployment = 'often'
    const others = await tables(shared)
    const own = async () => (await tables(shared)).filter((name) => !others.includes(name))
    const groupsOf = async (table: string) => {
      const listed = await shared.lab.host.script(`nft list set inet ${table} groups`)
      return listed.match(/elements = \{([^}]*)\}/)?.[1]?.split(',').length
    }
    const networks = await startNetworks(shared.lab, { mostGroups: 8 })
    const first = await shared.job({ deployment, networks })
    const [table] = await own()
    for (let times = 1; times < 7; times++) await first.restart()
    await first.release()
    await first[Symbol.asyncDispose]()
    const again = await shared.job({ deployment, networks })
    expect(await own()).toEqual([table])
    expect(await groupsOf(table!)).toBe(8)
    await again.release()
    await again[Symbol.asyncDispose]()
    await using second = await shared.job({ deployment, networks })
    const [before, after, ...more] = await own()
    expect([before, more]).toEqual([table, []])
    expect(await groupsOf(after!)).toBe(1)
    await second.release()
    await networks[Symbol.asyncDispose]()
  })

  test('contain at most 256 control groups', () => {
    expect(mostGroupsOfTable).toBe(256)
  })

  test('apply again to a job that is started again', async ({ shared }) => {
    await using job = await shared.job()
    expect(await job.probe('own')).toMatchObject({ tcp4: 'none', udp4: 'none' })
    await job.restart()
    expect(await job.probe('own')).toMatchObject({ tcp4: 'none', udp4: 'none' })
    await job.release()
  })

  test('admit for a time, which each admission starts again', async ({ shared }) => {
    await using job = await shared.job()
    const table = (await tables(shared)).at(-1)!
    const addresses = [publicAddress(4), publicAddress6(4)]
    for (const seconds of [60, 90, 30]) {
      await job.admit(addresses.map((address) => ({ address, seconds })))
      for (const set of ['admitted4', 'admitted6']) {
        const [element, ...more] = await admitted(shared, table, set)
        expect(more).toEqual([])
        expect(element).toMatchObject({ timeout: seconds })
        expect(element!.expires).toBeGreaterThan(seconds - 5)
      }
    }
    // Addresses that were never admitted may be revoked, too.
    await job.revoke([...addresses, publicAddress(5)])
    expect(await admitted(shared, table, 'admitted4')).toEqual([])
    await job.release()
  })

  test('admit no longer than for that time', async ({ shared }) => {
    await using job = await shared.job()
    const address = publicAddress(6)
    await job.admit([{ address, seconds: 1 }])
    expect(await burst(job, address)).toBe(100)
    await pause(1100)
    expect(await burst(job, address)).toBeLessThan(50)
    await job.release()
  })

  test('refuse text that is not an address', async ({ shared }) => {
    await using job = await shared.job()
    const wrong = [{ address: '1.2.3.4 }; flush ruleset #', seconds: 60 }]
    await expect(job.admit(wrong)).rejects.toThrow('no address: ')
    expect(await tables(shared)).not.toEqual([])
    await job.release()
  })

  test('apply before a job is attached: its loopback is closed', async ({ shared }) => {
    await using job = await shared.job({ isAttached: false })
    await using server = await job.serve(8300)
    const answer = await job.probe<ReachAnswer>('reach-tcp', '127.0.0.1', 8300, '--ms=300')
    expect(answer).toEqual({ answered: false, error: 'ECONNREFUSED' })
    expect(server.heard).toEqual([])
    await job.release()
  })
})
