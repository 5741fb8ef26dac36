import { describe, expect, it } from 'vitest'
import { createDeploymentSigner } from '../../../../runtime/src/signer/deployment-signer.ts'
import { createKeyring } from '../../../../runtime/src/signer/keyring.ts'
import { buildConsumer, handleKinds } from '../../../support/handle-consumer.ts'
import { backends, native, openKeys, portable } from '../../../support/signer-backends.ts'

const digest = new Uint8Array(32).fill(7)

function openSigner(backend = native) {
  const lines: string[] = []
  const keyring = createKeyring(openKeys(backend, { signing: {}, encryption: {} }))
  const signer = createDeploymentSigner(keyring, {
    check: () => void lines.push('checked'),
    recordHost: ({ purpose, curve, count }) => void lines.push(`${purpose} ${curve} ${count}`),
    commit: () => void lines.push('written'),
  })
  return { signer, keyring, lines }
}

describe.each(backends)('the host’s own signature ($name)', (backend) => {
  it('is the deployment’s, and recorded before it is given', () => {
    const { signer, keyring, lines } = openSigner(backend)
    expect(signer.publicKey).toEqual(keyring.publicKeys.p256)
    expect(signer.sign('registration', digest)).toEqual(keyring.sign('p256', digest))
    expect(lines).toEqual(['checked', 'registration p256 1', 'written'])
    keyring.destroy()
    expect(() => signer.sign('handshake', digest)).toThrow('the keys have been destroyed')
  })
})

describe('the native face', () => {
  it('is recorded by purpose, also after its end', () => {
    const { signer, lines } = openSigner()
    const consumer = buildConsumer()
    const held = consumer.hold(handleKinds.signer, signer.handle)
    for (const purpose of [1, 2, 2]) expect(consumer.sign(held, purpose, digest)).toHaveLength(64)
    signer.recordUses()
    signer.recordUses()
    expect(lines).toEqual(['certificate p256 1', 'handshake p256 2', 'written', 'written'])
    consumer.sign(held, 0, digest)
    signer.close()
    expect(lines.slice(4)).toEqual(['registration p256 1', 'written'])
    expect(consumer.sign(held, 0, digest)).toBe(-108)
  })

  it('is not there without the native signer', () => {
    expect(openSigner(portable).signer.handle).toBeUndefined()
  })
})
