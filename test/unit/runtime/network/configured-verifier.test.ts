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

it('asks the resolvers of the configuration, and does not read the host’s file', async () => {
  const resolvers = [`${server.address}:${server.port}`]
  const verify = configuredVerifier({ resolvers, allow: [], hostFile: '\0' })
  expect((await verify(host, source)).passed).toHaveLength(1)
})

describe('where the configuration names no resolver', () => {
  /** The resolvers that were asked: nobody answers, so the message numbers each one. */
  const asks = async (verify: ReturnType<typeof configuredVerifier>) => {
    const { failure } = await verify(host, source)
    expect(failure).toMatchObject({ kind: 'RESOLVER_FAILED' })
    return failure!.message.match(/resolver \d/g)
  }
  const nameservers = (count: number) =>
    Array.from({ length: count }, (_, at) => `nameserver 127.83.0.${at + 1}\n`).join('')

  it("asks the host's resolvers, as its file names them at the time", async () => {
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

  it('starts even if the file cannot be read, and asks once it can be read', async () => {
    await using folder = await temporaryFolder()
    const verify = configuredVerifier({ resolvers: [], allow: [], hostFile: folder.path })
    expect(await thrownBy(() => verify(host, source))).toMatchObject({ code: 'EISDIR' })
    await folder[Symbol.asyncDispose]()
    await writeFile(folder.path, nameservers(2))
    expect(await asks(verify)).toEqual(['resolver 1', 'resolver 2'])
  })
})
