import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDeployment } from '@causeway/manifest'
import { describe, expect } from 'vitest'
import { deploymentKeys, identify } from '../../../../runtime/src/deployments/identity.ts'
import { derivePrivateKeys } from '../../../../runtime/src/signer/derivation.ts'
import { test } from '../../../support/folder-fixture.ts'
import { bytes } from '../../../support/hex.ts'
import { thrownBy } from '../../../support/thrown.ts'

const root = () => bytes('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f')
// From docs/keys.md.
const account = '2d800d9c05e27924fe0ad276ad047e8fa979cea6b990dfa63aaa1b4a72dc27e7'
const settings = { ss58Prefix: 42, originKind: 'Substrate' }

const deploymentOf = (fields: object, file = '/jobs/one/deployment.json') =>
  parseDeployment(JSON.stringify(fields), file).deployment

describe('identity', () => {
  test('of an empty file has a default for everything', () => {
    const identity = identify(deploymentOf({}), root(), settings)
    expect(identity).toEqual({
      id: expect.stringMatching(/^\d{1,15}$/) as string,
      origin: { kind: 'Substrate', source: account },
      processor: {
        account: new Uint8Array(Buffer.from(account, 'hex')),
        address: expect.stringMatching(/^5[1-9A-HJ-NP-Za-km-z]{47}$/) as string,
      },
    })
  })

  test('takes what the file says', () => {
    const origin = { kind: 'Ethereum20', source: `0x${'AB'.repeat(20)}` }
    expect(identify(deploymentOf({ id: 7, origin }), root(), settings)).toMatchObject({
      id: '7',
      origin: { kind: 'Ethereum20', source: 'ab'.repeat(20) },
    })
  })

  test('the default id is stable and depends on the path alone', () => {
    const idOf = (file: string, fields = {}) =>
      identify(deploymentOf(fields, file), root(), settings).id
    expect(idOf('/a/deployment.json')).toBe(idOf('/a/deployment.json', { slot: 1 }))
    expect(idOf('/a/deployment.json')).not.toBe(idOf('/b/deployment.json'))
    expect(Number.isSafeInteger(Number(idOf('/a')))).toBe(true)
  })

  test('the address depends on prefix and root alone', () => {
    const addressOf = (ss58Prefix: number, fields = {}) =>
      identify(deploymentOf(fields), root(), { ...settings, ss58Prefix }).processor.address
    expect(addressOf(42)).toBe(addressOf(42, { id: 'x', origin: { kind: 'other' } }))
    expect(addressOf(0)).not.toBe(addressOf(42))
  })
})

describe('keys of a deployment', () => {
  const label = { originKind: 'Substrate', source: bytes(account), id: '7' }
  const identity = identify(deploymentOf({ id: 7 }), root(), settings)

  function withKeys(folder: string, keys: object): ReturnType<typeof deploymentOf> {
    const file = join(folder, 'keys.json')
    writeFileSync(file, JSON.stringify(keys))
    chmodSync(file, 0o600)
    return deploymentOf({ id: 7, keys: 'keys.json' }, join(folder, 'deployment.json'))
  }

  test('are derived from kind, source and id', () => {
    const keys = deploymentKeys(deploymentOf({ id: 7 }), identity, root())
    expect(keys).toEqual(derivePrivateKeys(root(), label))
  })

  test('of a keys file take the place of single ones', ({ folder }) => {
    const imported = '11'.repeat(32)
    const deployment = withKeys(folder, {
      signing: { ed25519: imported },
      encryption: { p256: imported },
    })
    const derived = derivePrivateKeys(root(), label)
    expect(deploymentKeys(deployment, identity, root())).toEqual({
      signing: { ...derived.signing, ed25519: bytes(imported) },
      encryption: { ...derived.encryption, p256: bytes(imported) },
      hdSeed: derived.hdSeed,
    })
  })

  test('of a wrong keys file stop the start', async ({ folder }) => {
    const deployment = withKeys(folder, { signing: { p256: '00'.repeat(32) } })
    expect(await thrownBy(() => deploymentKeys(deployment, identity, root()))).toMatchObject({
      name: 'StartError',
      kind: 'KEYS_INVALID',
      message: `${join(folder, 'keys.json')}: signing.p256: not a private key of this curve`,
    })
  })
})
