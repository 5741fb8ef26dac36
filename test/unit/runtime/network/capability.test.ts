import { expect, test } from 'vitest'
import type { CallContext } from '../../../../runtime/src/bridge/methods.ts'
import { openNetworkCapability } from '../../../../runtime/src/network/capability.ts'
import type { KernelNetwork, NetworkState } from '../../../../runtime/src/job-network/contract.ts'
import { hostFaces } from '../../../support/host-faces.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { passing, recordingNetwork } from '../../../support/verifications.ts'

const context: CallContext = { peer: { pid: 1, uid: 1, gid: 1 } }
const counters = { admitted: 3, limited: 2, refused: 1 }
const byHost = { admitted: 0, limited: 0, refused: 0 }

async function open(state?: NetworkState, networkRequests = 0) {
  const recorded = recordingNetwork()
  const kernel: KernelNetwork | undefined = state && {
    ...recorded,
    state,
    namespace: undefined,
    attach: async () => {},
    counters: async () => counters,
    release: async () => {},
  }
  const network = kernel && (await hostFaces(kernel).open())
  const opened = openNetworkCapability({
    verifyHost: async (host) => passing(host, [{ address: '192.0.2.1', seconds: 600 }]),
    ...(network && { network }),
    source: new Uint8Array(32),
    log: recordingLog().log,
    connectionLimits: { connectionsPerSecond: 10, connectionBurst: 20 },
    networkRequests,
  })
  return { ...opened, calls: recorded.calls }
}

const limits = { connectionsPerSecond: 10, connectionBurst: 20 }
const hosts = [{ host: 'a.example', addresses: [{ address: '192.0.2.1', seconds: 600 }] }]

test.for(['isolated', 'shared'] as const)('a network that is %s', async (mode) => {
  const { handlers, facts, look, close, calls } = await open({ mode, missing: ['one thing'] }, 100)
  expect(facts).toEqual({ network: { mode, enforced: true, ...limits } })
  expect(await handlers.network_whitelist(context, { host: 'a.example' })).toEqual({})
  expect(calls).toEqual(['admit 192.0.2.1 605'])
  const missing = ['one thing']
  expect(await look()).toEqual({
    mode,
    missing,
    limits,
    networkRequests: 100,
    counters,
    byHost,
    hosts,
  })
  await close()
})

test('where nothing is enforced no limits are shown', async () => {
  const { facts, look, close } = await open({ mode: 'none', missing: ['not root'] }, 100)
  expect(facts).toEqual({ network: { mode: 'none', enforced: false } })
  expect(await look()).toEqual({ mode: 'none', missing: ['not root'], counters, byHost, hosts: [] })
  await close()
})

test('without a network hosts are verified anyway', async () => {
  const { handlers, facts, look, close } = await open()
  expect(facts).toEqual({ network: { mode: 'none', enforced: false } })
  expect(await handlers.network_whitelist(context, { host: 'a.example' })).toEqual({})
  expect(await look()).toEqual({ mode: 'none', missing: [], counters: byHost, byHost, hosts })
  await close()
})

test('without a cap on connections none is shown', async () => {
  const { look, close } = await open({ mode: 'isolated', missing: [] })
  expect(await look()).not.toHaveProperty('networkRequests')
  await close()
})
