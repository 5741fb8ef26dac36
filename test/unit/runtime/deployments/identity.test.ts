import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDeployment } from '@causeway/manifest'
import { describe, expect } from 'vitest'
import { identify, importedKeysOf, labelOf } from '../../../../runtime/src/deployment/identity.ts'
import { test } from '../../../support/folder-fixture.ts'
import { bytes } from '../../../support/hex.ts'
import { native } from '../../../support/signer-backends.ts'
import { thrownBy } from '../../../support/thrown.ts'

// From docs/keys.md.
const accountHex = '2d800d9c05e27924fe0ad276ad047e8fa979cea6b990dfa63aaa1b4a72dc27e7'
const account = bytes(accountHex)
const settings = { ss58Prefix: 42, originKind: 'Substrate' }

const deploymentOf = (fields: object, file = '/jobs/one/deployment.json') =>
  parseDeployment(JSON.stringify(fields), file).deployment

describe('identity', () => {
  test('has a default for every field of an empty file', () => {
    const identity = identify(deploymentOf({}), account, settings)
    expect(identity).toEqual({
      id: expect.stringMatching(/^\d{1,15}$/) as string,
      origin: { kind: 'Substrate', source: accountHex },
      processor: {
        account: account,
        address: expect.stringMatching(/^5[1-9A-HJ-NP-Za-km-z]{47}$/) as string,
      },
    })
  })

  test('uses the fields of the file', () => {
    const origin = { kind: 'Ethereum20', source: `0x${'AB'.repeat(20)}` }
    expect(identify(deploymentOf({ id: 7, origin }), account, settings)).toMatchObject({
      id: '7',
      origin: { kind: 'Ethereum20', source: 'ab'.repeat(20) },
    })
  })

  test('the default id is stable and depends only on the path', () => {
    const idOf = (file: string, fields = {}) =>
      identify(deploymentOf(fields, file), account, settings).id
    expect(idOf('/a/deployment.json')).toBe(idOf('/a/deployment.json', { slot: 1 }))
    expect(idOf('/a/deployment.json')).not.toBe(idOf('/b/deployment.json'))
    expect(Number.isSafeInteger(Number(idOf('/a')))).toBe(true)
  })

  test('the address depends only on prefix and account', () => {
    const addressOf = (ss58Prefix: number, fields = {}) =>
      identify(deploymentOf(fields), account, { ...settings, ss58Prefix }).processor.address
    expect(addressOf(42)).toBe(addressOf(42, { id: 'x', origin: { kind: 'other' } }))
    expect(addressOf(0)).not.toBe(addressOf(42))
  })
})

test('a label is the identity in bytes', () => {
  const identity = identify(deploymentOf({ id: 7 }), account, settings)
  expect(labelOf(identity)).toEqual({
    originKind: 'Substrate',
    source: Buffer.from(account),
    id: '7',
  })
})

describe('keys of a keys file', () => {
  function withKeys(folder: string, keys: object): ReturnType<typeof deploymentOf> {
    const file = join(folder, 'keys.json')
    writeFileSync(file, JSON.stringify(keys))
    chmodSync(file, 0o600)
    return deploymentOf({ id: 7, keys: 'keys.json' }, join(folder, 'deployment.json'))
  }

  test('are read from a path relative to the deployment file', ({ folder }) => {
    const key = '11'.repeat(32)
    const deployment = withKeys(folder, { signing: { ed25519: key }, encryption: { p256: key } })
    expect(importedKeysOf(deployment, native)).toEqual({
      signing: { ed25519: bytes(key) },
      encryption: { p256: bytes(key) },
    })
  })

  test('are empty when no file is named', () => {
    expect(importedKeysOf(deploymentOf({}), native)).toEqual({ signing: {}, encryption: {} })
  })

  test('of an invalid file prevent the start', async ({ folder }) => {
    const deployment = withKeys(folder, { signing: { p256: '00'.repeat(32) } })
    expect(await thrownBy(() => importedKeysOf(deployment, native))).toMatchObject({
      name: 'StartError',
      kind: 'KEYS_INVALID',
      message: `${join(folder, 'keys.json')}: signing.p256: not a private key of this curve`,
    })
  })
})
