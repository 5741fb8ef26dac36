import { describe, expect, it } from 'vitest'
import { RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { createKeyring } from '../../../../runtime/src/signer/keyring.ts'
import { fixedKeys } from '../../../support/deployment-keys.ts'
import { dispatchFixture, peer, request } from '../../../support/dispatch-fixture.ts'
import { realHandlers } from '../../../support/real-handlers.ts'
import { native } from '../../../support/signer-backends.ts'

interface Reply {
  result: { publicKey: string; bytes: string }
  error: unknown
}

const { ask } = dispatchFixture()
const call = async (method: string, params: object) =>
  (await ask(request(method, [params]))) as Reply
const key = async (curve: string) => {
  const reply = (await ask(request('deployment_encryptionKeys'))) as {
    result: { encryptionKeys: Record<string, string> }
  }
  return reply.result.encryptionKeys[curve]
}

describe('signer_* on the wire', () => {
  it('signer_publicKey returns the key that deployment_publicKeys lists', async () => {
    const reply = (await ask(request('deployment_publicKeys'))) as {
      result: { publicKeys: Record<string, string> }
    }
    for (const [curve, publicKey] of Object.entries(reply.result.publicKeys)) {
      expect((await call('signer_publicKey', { curve })).result).toStrictEqual({ publicKey })
    }
    expect(Object.keys(reply.result.publicKeys)).toEqual(['p256', 'secp256k1', 'ed25519'])
  })

  it('derivationPath is echoed exactly as it was sent, and absent otherwise', async () => {
    const sent = { curve: 'secp256k1', derivationPath: 'm/0h/1' }
    const { result } = await call('signer_publicKey', sent)
    expect(result).toMatchObject({ derivationPath: 'm/0h/1' })
    expect((await call('signer_publicKey', { curve: 'p256' })).result).not.toHaveProperty(
      'derivationPath',
    )
  })

  it.each([
    { name: 'upper case', change: (hex: string) => hex.toUpperCase() },
    { name: '0x', change: (hex: string) => `0x${hex}` },
  ])('accepts other spellings of the same bytes: $name', async ({ change }) => {
    const digest = 'ab'.repeat(32)
    const plain = await call('signer_sign', { curve: 'p256', bytes: digest })
    const other = await call('signer_sign', { curve: 'p256', bytes: change(digest) })
    expect(other).toEqual(plain)
    expect(plain.result.bytes).toMatch(/^[0-9a-f]{128}$/)
  })

  it.each(['p256', 'secp256k1'])('encrypts to its own key and decrypts, on %s', async (curve) => {
    const publicKey = (await key(curve)) ?? ''
    const sealed = await call('signer_encrypt', { curve, publicKey, salt: publicKey, bytes: '' })
    expect(sealed.result.bytes).toMatch(/^[0-9a-f]{56}$/)
    const opened = await call('signer_decrypt', {
      curve,
      publicKey: `0x${publicKey.toUpperCase()}`,
      salt: publicKey,
      bytes: sealed.result.bytes,
    })
    expect(opened.result).toStrictEqual({ bytes: '' })
  })

  it.each([
    { name: 'short', bytes: '00' },
    { name: 'empty', bytes: '' },
    { name: 'of zeros', bytes: '00'.repeat(28) },
  ])('gives the same answer to every failed decryption: $name', async ({ bytes }) => {
    const publicKey = await key('p256')
    const { error } = await call('signer_decrypt', { curve: 'p256', publicKey, salt: '', bytes })
    expect(error).toStrictEqual({
      code: -32603,
      message: 'the bytes could not be decrypted',
      data: { kind: 'DECRYPT_FAILED', retryable: false },
    })
  })

  it('a wrong public key of a peer is refused as bad params', async () => {
    const sent = { curve: 'p256', publicKey: '02', salt: '', bytes: '' }
    expect((await call('signer_encrypt', sent)).error).toMatchObject({
      code: -32602,
      data: { kind: 'BAD_PUBLIC_KEY', details: { field: 'publicKey' } },
    })
  })
})

/** Calls over a keyring that shows each use to the test. */
function recorded() {
  const uses: unknown[] = []
  const log = { check: () => {}, record: (use: unknown) => void uses.push(use) }
  const handlers = realHandlers({}, createKeyring(native.openKeys(fixedKeys())), log)
  const fixture = dispatchFixture({ handlers })
  const send = async (method: string, params: object) =>
    (await fixture.ask(request(method, [params]))) as Reply
  return { uses, log, send }
}

describe('every use of a key is recorded', () => {
  const pid = peer.pid
  const digest = 'cd'.repeat(32)

  it('for signatures and public keys, with the path', async () => {
    const { uses, send } = recorded()
    await send('signer_sign', { curve: 'p256', bytes: digest })
    await send('signer_sign', { curve: 'secp256k1', bytes: digest, derivationPath: "m/1'/2" })
    await send('signer_publicKey', { curve: 'secp256k1', derivationPath: 'm' })
    const input = Buffer.from(digest, 'hex')
    expect(uses).toEqual([
      { method: 'signer_sign', curve: 'p256', path: undefined, input, pid },
      { method: 'signer_sign', curve: 'secp256k1', path: "m/1'/2", input, pid },
      { method: 'signer_publicKey', curve: 'secp256k1', path: 'm', input: undefined, pid },
    ])
  })

  it('for encryption with the ciphertext, and for decryption even when it fails', async () => {
    const { uses, send } = recorded()
    const publicKey = (await key('p256')) ?? ''
    const agreement = { curve: 'p256', publicKey, salt: '00' }
    const sealed = (await send('signer_encrypt', { ...agreement, bytes: 'beef' })).result.bytes
    await send('signer_decrypt', { ...agreement, bytes: sealed })
    await send('signer_decrypt', { ...agreement, salt: '01', bytes: sealed })
    const use = { curve: 'p256', path: undefined, input: Buffer.from(sealed, 'hex'), pid }
    expect(uses).toEqual([
      { method: 'signer_encrypt', ...use },
      { method: 'signer_decrypt', ...use },
      { method: 'signer_decrypt', ...use, outcome: 'DECRYPT_FAILED' },
    ])
  })

  it('and nothing is recorded when no key was used', async () => {
    const { uses, send } = recorded()
    await send('signer_sign', { curve: 'p256', bytes: '00' })
    await send('signer_sign', { curve: 'p256', bytes: digest, derivationPath: 'm/0' })
    await send('signer_publicKey', { curve: 'secp256k1', derivationPath: 'x' })
    await send('signer_encrypt', { curve: 'p256', publicKey: '02', salt: '', bytes: '' })
    await send('signer_decrypt', { curve: 'p256', publicKey: '02', salt: '', bytes: '' })
    expect(uses).toEqual([])
  })

  it('no key is used while uses cannot be recorded', async () => {
    const { uses, log, send } = recorded()
    log.check = () => {
      throw new RpcError('UNAVAILABLE', 'the host cannot write the audit log')
    }
    const agreement = { curve: 'p256', publicKey: await key('p256'), salt: '' }
    const replies = [
      await send('signer_publicKey', { curve: 'p256' }),
      await send('signer_sign', { curve: 'p256', bytes: digest }),
      await send('signer_encrypt', { ...agreement, bytes: '' }),
      await send('signer_decrypt', { ...agreement, bytes: '' }),
    ]
    const refusal = { code: -32603, data: { kind: 'UNAVAILABLE', retryable: true } }
    expect(replies.map(({ error }) => error)).toMatchObject(Array(4).fill(refusal))
    expect(uses).toEqual([])
  })
})
