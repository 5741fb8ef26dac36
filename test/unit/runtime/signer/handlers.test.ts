import { describe, expect, it } from 'vitest'
import { dispatchFixture, request } from '../../../support/dispatch-fixture.ts'

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
  it('signer_publicKey is what deployment_publicKeys says', async () => {
    const reply = (await ask(request('deployment_publicKeys'))) as {
      result: { publicKeys: Record<string, string> }
    }
    for (const [curve, publicKey] of Object.entries(reply.result.publicKeys)) {
      expect((await call('signer_publicKey', { curve })).result).toStrictEqual({ publicKey })
    }
    expect(Object.keys(reply.result.publicKeys)).toEqual(['p256', 'secp256k1', 'ed25519'])
  })

  it('derivationPath is echoed as it was sent, only when it was', async () => {
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
  ])('bytes written otherwise are the same bytes: $name', async ({ change }) => {
    const digest = 'ab'.repeat(32)
    const plain = await call('signer_sign', { curve: 'p256', bytes: digest })
    const other = await call('signer_sign', { curve: 'p256', bytes: change(digest) })
    expect(other).toEqual(plain)
    expect(plain.result.bytes).toMatch(/^[0-9a-f]{128}$/)
  })

  it.each(['p256', 'secp256k1'])('encrypts to oneself and back on %s', async (curve) => {
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
  ])('what cannot be decrypted has one answer: $name', async ({ bytes }) => {
    const publicKey = await key('p256')
    const { error } = await call('signer_decrypt', { curve: 'p256', publicKey, salt: '', bytes })
    expect(error).toStrictEqual({
      code: -32603,
      message: 'the bytes could not be decrypted',
      data: { kind: 'DECRYPT_FAILED', retryable: false },
    })
  })

  it('a wrong peer is bad params', async () => {
    const sent = { curve: 'p256', publicKey: '02', salt: '', bytes: '' }
    expect((await call('signer_encrypt', sent)).error).toMatchObject({
      code: -32602,
      data: { kind: 'BAD_PUBLIC_KEY', details: { field: 'publicKey' } },
    })
  })
})
