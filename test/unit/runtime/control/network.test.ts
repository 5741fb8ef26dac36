/**
 * The network of a deployment, over the control socket: while its job runs, and no longer.
 */
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { createControlClient, type ControlClient } from '../../../../runtime/src/control/client.ts'
import { startControlServer } from '../../../../runtime/src/control/server.ts'
import type { NetworkView } from '../../../../runtime/src/network/network-view.ts'
import { testStatus } from '../../../support/control-status.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { exited } from '../../../support/scripted-jobs.ts'
import { testSupervisor, type TestSupervisor } from '../../../support/supervised-deployments.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const test = base.extend<{ daemon: { host: TestSupervisor; client: ControlClient } }>({
  daemon: async ({}, use) => {
    await using folder = await temporaryFolder()
    await using host = await testSupervisor(folder.path)
    const path = join(folder.path, 'control.sock')
    const { supervisor } = host
    const { log } = recordingLog()
    const server = await startControlServer({ path, supervisor, status: testStatus, log })
    await use({ host, client: createControlClient(path, 'causeway daemon') })
    await server.close()
  },
})

const view: NetworkView = {
  mode: 'isolated',
  missing: [],
  limits: { connectionsPerSecond: 10, connectionBurst: 20 },
  counters: { admitted: 1, limited: 2, refused: 3 },
  byHost: { admitted: 0, limited: 0, refused: 0 },
  hosts: [{ host: 'a.example', addresses: [{ address: '192.0.2.1', seconds: 60 }] }],
}
const look = (client: ControlClient, id = 'one') =>
  client.call('GET /v1/deployments/:id/network', { params: { id } })

test('is shown as it is at that moment', async ({ daemon: { host, client } }) => {
  await host.deploy('one')
  const job = await host.jobs.next()
  let looks = 0
  job.request.onNetwork?.(async () => ({
    ...view,
    counters: { ...view.counters, limited: ++looks },
  }))
  expect(await look(client)).toEqual({ ...view, counters: { ...view.counters, limited: 1 } })
  expect((await look(client)).counters.limited).toBe(2)
})

test('is not there before it is opened, nor after the end', async ({
  daemon: { host, client },
}) => {
  await host.deploy('one')
  const job = await host.jobs.next()
  await host.reach('one', 'running')
  const refusal = /^DEPLOYMENT_NOT_RUNNING: deployment one is running: it has a network only while/
  await expect(look(client)).rejects.toThrow(refusal)
  job.request.onNetwork?.(async () => view)
  expect(await look(client)).toEqual(view)
  job.end(exited(0))
  await host.reach('one', 'ended')
  await expect(look(client)).rejects.toThrow('DEPLOYMENT_NOT_RUNNING: deployment one is ended')
})

test('of a deployment that nobody knows', async ({ daemon: { client } }) => {
  await expect(look(client, 'nobody')).rejects.toThrow('DEPLOYMENT_UNKNOWN')
})

test('of a network that can not be read: the daemon’s fault', async ({
  daemon: { host, client },
}) => {
  await host.deploy('one')
  const job = await host.jobs.next()
  job.request.onNetwork?.(() => Promise.reject(new Error('nft: gone')))
  await expect(look(client)).rejects.toThrow('INTERNAL')
})
