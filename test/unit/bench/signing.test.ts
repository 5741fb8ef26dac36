import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { createProcesses } from '../../bench/machine/processes.ts'
import { compile } from '../../bench/machine/programs.ts'
import { startUnasked } from '../../bench/servers/others.ts'
import type { Server } from '../../bench/servers/server.ts'
import { digests, firstReply, toSigning, withRequestsOf } from '../../bench/servers/signing.ts'

test('a server that gives a signature of another digest is found out', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-test-'))
  const processes = createProcesses()
  try {
    const command = [await compile('floor', { folder, processes })]
    const reply = replyToEverything(digests[0]!)
    const options = { name: 'floor', command, extra: ['1'], folder, processes }
    const server = await startUnasked({ ...options, reply })
    const asked = toSigning(server, 'secp256k1')
    // Right for the first digest, wrong for all others.
    await expect(asked).rejects.toThrow(`no signature of secp256k1: ${reply}`)
  } finally {
    await processes.stopAll()
    await rm(folder, { recursive: true })
  }
}, 60_000)

test('a server of one reply can take the requests of another', () => {
  const common = { socket: 'one', pid: 1, stop: () => Promise.resolve() }
  const signing: Server = { ...common, name: 's', request: 'abc', reply: 'ABC', exchanges: 3 }
  const floor: Server = { ...common, name: 'floor', request: 'x', reply: 'A' }
  expect(firstReply(signing)).toBe('A')
  expect(withRequestsOf(signing, floor)).toEqual({
    ...floor,
    request: 'abc',
    reply: 'AAA',
    exchanges: 3,
  })
})

/** Public key and a signature of one digest. */
function replyToEverything(digest: Uint8Array): string {
  const key = Buffer.alloc(32, 7)
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const bytes = hex(secp256k1.sign(digest, key, { prehash: false, lowS: true }))
  const result = { publicKey: hex(secp256k1.getPublicKey(key)), bytes }
  return `${JSON.stringify({ jsonrpc: '2.0', id: '1', result })}\n`
}
