/**
 * One call of every method for the reference, answered by the real bridge with fixed keys.
 * @module
 */
import type { MethodName, MethodParams } from '@causeway/guest-sdk/protocol'
import type { Handlers } from '../../runtime/src/bridge/methods.ts'
import { dispatchFixture } from '../support/dispatch-fixture.ts'

/** A request line and its reply line, both without the newline. */
export interface Example {
  request: string
  reply: string
}

const digest = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const peer = {
  curve: 'p256',
  publicKey: '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
  salt: '00000000000000000000000000000000',
} as const
// One result of `signer_encrypt` for its example below: each call has another iv.
const sealed = '9943c79777b868b32565b6fca59356f03721e296c19398ae282a4010386846ed62'

/** A row for every method: leaving one out does not compile. */
export const exampleParams: { readonly [M in MethodName]: MethodParams<M> } = {
  processor_version: [],
  deployment_id: [],
  deployment_ipfsHash: [],
  deployment_slot: [],
  deployment_publicKeys: [],
  deployment_encryptionKeys: [],
  deployment_assignedProcessors: [],
  signer_publicKey: [{ curve: 'secp256k1', derivationPath: 'm/44h/60h/0h/0/0' }],
  signer_sign: [{ curve: 'p256', bytes: digest }],
  signer_encrypt: [{ ...peer, bytes: '68656c6c6f' }],
  signer_decrypt: [{ ...peer, bytes: sealed }],
  network_whitelist: [{ host: 'example.com' }],
  'rpc.discover': [],
}

/** Handlers that make a bridge's replies to the examples the same each time. */
export const exampleHandlers: Partial<Handlers> = { signer_encrypt: () => ({ bytes: sealed }) }

/** The example of a method; the reply of `rpc.discover` is complete. */
export async function example(method: MethodName): Promise<Example> {
  const { answer } = dispatchFixture({ handlers: exampleHandlers })
  const request = JSON.stringify({ jsonrpc: '2.0', method, params: exampleParams[method], id: '1' })
  const reply = await answer(request)
  if (reply === undefined) throw new Error(`no reply to the example of ${method}`)
  return { request, reply }
}
