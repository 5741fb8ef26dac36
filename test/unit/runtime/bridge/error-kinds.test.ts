/**
 * Every error kind as a caller gets it: a request line and its reply, over a real socket except for
 * what the gate refuses.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  errorCodes,
  errorFacts,
  type ErrorKind,
  type ErrorObject,
} from '@causeway/guest-sdk/protocol'
import { describe, expect } from 'vitest'
import { defaultLimits } from '../../../../runtime/src/bridge/limits/limits.ts'
import { RpcError } from '../../../../runtime/src/bridge/errors.ts'
import type { Handlers } from '../../../../runtime/src/bridge/methods.ts'
import { createAdmissions } from '../../../../runtime/src/network/admissions.ts'
import { networkHandlers } from '../../../../runtime/src/network/handlers.ts'
import type {
  VerificationFailure,
  VerifyHost,
} from '../../../../runtime/src/network/verify/verification.ts'
import {
  test,
  type BridgeFixture,
  type BridgeFixtureOptions,
} from '../../../support/bridge-fixture.ts'
import { dispatchFixture } from '../../../support/dispatch-fixture.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { failing, recordingNetwork } from '../../../support/verifications.ts'
import { sendRaw } from '../../../support/raw-client.ts'

type Open = (options?: BridgeFixtureOptions) => BridgeFixture

/** Returns the reply line of a call that fails with this kind. */
type Meet = (open: Open) => Promise<string>

/** Sends one line to a bridge. */
const sending =
  (line: string, options?: BridgeFixtureOptions): Meet =>
  async (open) => {
    const { name } = open(options)
    return (await sendRaw(name, [`${line}\n`])).text
  }

const calling = (method: string, params: object = {}, options?: BridgeFixtureOptions) =>
  sending(JSON.stringify({ jsonrpc: '2.0', method, params: [params], id: '1' }), options)

const digest = '00'.repeat(32)
const peer = { curve: 'p256', publicKey: `02${'00'.repeat(32)}`, salt: '', bytes: '' }
const generator = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'

const never: Partial<Handlers> = { deployment_slot: () => new Promise(() => {}) }
const broken: Partial<Handlers> = {
  deployment_slot: () => {
    throw new Error('disk on fire')
  },
}

const whitelisting = (verifyHost: VerifyHost, sourceBytes = 32): Meet => {
  const source = new Uint8Array(sourceBytes)
  const options = { verifyHost, source, network: recordingNetwork(), log: recordingLog().log }
  const handlers = networkHandlers(createAdmissions(options))
  return calling('network_whitelist', { host: 'a.example' }, { handlers })
}

const notVerified = (kind: VerificationFailure) => whitelisting(async (host) => failing(host, kind))

/** A row for every kind: a missing row does not compile. */
const rows: { readonly [K in ErrorKind]: Meet } = {
  PARSE: sending('{'),
  INVALID_REQUEST: sending('[]'),
  METHOD_NOT_FOUND: calling('signer_Sign'),
  INVALID_PARAMS: calling('signer_sign', { curve: 'p256', bytes: 'f' }),
  UNSUPPORTED_CURVE: calling('signer_encrypt', { ...peer, curve: 'ed25519' }),
  BAD_DERIVATION_PATH: calling('signer_sign', {
    curve: 'p256',
    bytes: digest,
    derivationPath: 'm',
  }),
  BAD_DIGEST_LENGTH: calling('signer_sign', { curve: 'p256', bytes: '00' }),
  BAD_PUBLIC_KEY: calling('signer_encrypt', { ...peer, publicKey: '00' }),
  BAD_HOST: whitelisting(async (host) => {
    throw new RpcError('BAD_HOST', `network_whitelist: host: ${host} is no name`)
  }),
  FAILED_PRECONDITION: whitelisting(async (host) => failing(host, 'TXT_MISSING'), 20),
  TXT_MISSING: notVerified('TXT_MISSING'),
  TXT_MISMATCH: notVerified('TXT_MISMATCH'),
  NO_ADDRESS: notVerified('NO_ADDRESS'),
  PTR_MISSING: notVerified('PTR_MISSING'),
  PTR_TXT_MISSING: notVerified('PTR_TXT_MISSING'),
  PTR_TXT_MISMATCH: notVerified('PTR_TXT_MISMATCH'),
  RESOLVER_FAILED: notVerified('RESOLVER_FAILED'),
  INTERNAL: calling('deployment_slot', {}, { handlers: broken }),
  PERMISSION_DENIED: async () => {
    const { answer } = dispatchFixture({ gate: { allowedMethods: ['deployment_*'] } })
    const line = '{"jsonrpc":"2.0","method":"signer_sign","params":[],"id":"1"}'
    return (await answer(line)) ?? ''
  },
  UNAVAILABLE: async (open) => {
    let called = false
    const handlers = { deployment_slot: () => ((called = true), new Promise<never>(() => {})) }
    const bridge = open({ handlers })
    const line = '{"jsonrpc":"2.0","method":"deployment_slot","id":"1"}\n'
    const reply = sendRaw(bridge.name, [line])
    while (!called) await nextTurn()
    bridge.stop()
    return (await reply).text
  },
  DEADLINE_EXCEEDED: calling(
    'deployment_slot',
    {},
    {
      handlers: never,
      limits: { read: { ...defaultLimits.read, deadlineMs: 20 } },
    },
  ),
  DECRYPT_FAILED: calling('signer_decrypt', { ...peer, publicKey: generator }),
  PEER_REJECTED: calling('deployment_id', {}, { membership: null }),
  LIMIT_EXCEEDED: sending('x'.repeat(101), { limits: { maxLineBytes: 100 } }),
}

describe('every error kind occurs', () => {
  test('there is a row for each', () => {
    expect(Object.keys(rows).sort()).toEqual(Object.keys(errorCodes).sort())
  })

  test.for(Object.keys(rows) as ErrorKind[])('%s', async (kind, { open }) => {
    const { jsonrpc, error } = JSON.parse(await rows[kind](open)) as Record<string, unknown>
    const { code, message, data } = error as ErrorObject
    expect({ jsonrpc, code, kind: data.kind }).toEqual({
      jsonrpc: '2.0',
      code: errorCodes[kind],
      kind,
    })
    expect(data.retryable).toBe(errorFacts[kind].retry === 'yes')
    expect(message).toMatch(/^\S+ \S+/)
  })
})
