import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDnsClient } from '../../../../service/src/dns/client.ts'
import { startNameServer, type NameServer } from '../../../support/name-server.ts'
import { allNames, zones } from './verify-zones.ts'

let server: NameServer
beforeAll(async () => {
  server = await startNameServer(zones)
})
afterAll(() => server[Symbol.asyncDispose]())

const limits = { tryMs: 5000, deadlineMs: 10_000, maxQueries: 96, maxSockets: 8 }

it('finds for every name of the zones what c-ares finds', async () => {
  expect(allNames.length).toBeGreaterThan(200)
  const client = createDnsClient({ ...limits, resolvers: [server] })
  for (const { name, type } of allNames) {
    const answer = await client.lookUp(undefined, (lookup) => lookup(name, type))
    const found = answer.state === 'found' ? answer.data.toSorted() : answer.state
    expect({ name, found }).toEqual({ name, found: await byOracle(name, type) })
  }
})

async function byOracle(name: string, type: 'TXT' | 'PTR'): Promise<string[]> {
  if (type === 'PTR') return (await server.oracle.resolvePtr(name)).map(asOurs).toSorted()
  return (await server.oracle.resolveTxt(name)).map((parts) => parts.join('')).toSorted()
}

/** We escape text that is not a host name in a way of our own. */
function asOurs(name: string): string {
  if (name === '') return '.'
  const unescaped = name.replaceAll(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number(code)))
  return unescaped.includes('\\.') ? `\\ ${unescaped.replaceAll('\\.', '.')}` : unescaped
}
