import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configuredVerifier } from '../../../../runtime/src/network/verify/configured-verifier.ts'
import { startNameServer, type NameServer } from '../../../support/name-server.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { thrownBy } from '../../../support/thrown.ts'
import { named, source, zones } from './verify-zones.ts'

let server: NameServer
beforeAll(async () => void (server = await startNameServer(zones)))
afterAll(() => server[Symbol.asyncDispose]())

const host = named('plain')

it('asks whom the configuration names, and does not look at the host', async () => {
  const resolvers = [`${server.address}:${server.port}`]
  const verify = configuredVerifier({ resolvers, allow: [], hostFile: '\0' })
  expect((await verify(host, source)).passed).toHaveLength(1)
})

describe('where it names none', () => {
  /** Of addresses at which nobody answers: each is told with its place. */
  const asks = async (verify: ReturnType<typeof configuredVerifier>) => {
    const { failure } = await verify(host, source)
    expect(failure).toMatchObject({ kind: 'RESOLVER_FAILED' })
    return failure!.message.match(/resolver \d/g)
  }
  const nameservers = (count: number) =>
    Array.from({ length: count }, (_, at) => `nameserver 127.83.0.${at + 1}\n`).join('')

  it("asks the host's, as they are at the time", async () => {
    await using folder = await temporaryFolder()
    const hostFile = join(folder.path, 'resolv.conf')
    const verify = configuredVerifier({ resolvers: [], allow: [], hostFile })
    await writeFile(hostFile, nameservers(2))
    expect(await asks(verify)).toEqual(['resolver 1', 'resolver 2'])
    await writeFile(hostFile, nameservers(3))
    expect(await asks(verify)).toEqual(['resolver 1', 'resolver 2', 'resolver 3'])
    await rm(hostFile)
    expect(await asks(verify)).toEqual(['resolver 1'])
    await writeFile(hostFile, nameservers(3))
    expect(await asks(verify)).toEqual(['resolver 1', 'resolver 2', 'resolver 3'])
  })

  it('starts all the same where the file cannot be read, and asks when it can be', async () => {
    await using folder = await temporaryFolder()
    const verify = configuredVerifier({ resolvers: [], allow: [], hostFile: folder.path })
    expect(await thrownBy(() => verify(host, source))).toMatchObject({ code: 'EISDIR' })
    await folder[Symbol.asyncDispose]()
    await writeFile(folder.path, nameservers(2))
    expect(await asks(verify)).toEqual(['resolver 1', 'resolver 2'])
  })
})
