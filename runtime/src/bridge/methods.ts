/**
 * The method table: the only list of methods that the bridge serves. Each row must compile against
 * the contract in `@causeway/guest-sdk/protocol`; validation, the version gate, `rpc.discover` and
 * the reference read it. The contract's `methodFacts` has `since` and `platform`.
 * @module
 */
import type {
  ErrorKind,
  MethodName,
  MethodParams,
  MethodResult,
} from '@causeway/guest-sdk/protocol'
import * as v from 'valibot'
import {
  assignedProcessor,
  bytesIn,
  bytesOut,
  derivationPath,
  described,
  encryptionCurve,
  encryptionKeys,
  host,
  origin,
  signingCurve,
  signingKeys,
  text,
} from './params/fields.ts'
import { openRpcSchema } from './openrpc/openrpc-schema.ts'

/** The calling process, as every handler gets it. */
export interface CallContext {
  /** Kernel credentials of the caller at connect. */
  peer: { pid: number; uid: number; gid: number }
}

/**
 * A method's class decides its rate and deadline limits. `read`: returns what the host knows.
 * `key`: uses or derives a private key; its caller is checked again before the reply. `network`:
 * asks other hosts.
 */
export const methodClasses = ['read', 'key', 'network'] as const
export type MethodClass = (typeof methodClasses)[number]

/** One method: its params, its result, and its errors beyond the standard kinds. */
export interface MethodRow<M extends MethodName> {
  summary: string
  class: MethodClass
  params: v.GenericSchema<unknown, MethodParams<M>>
  result: v.GenericSchema<unknown, MethodResult<M>>
  errors: readonly ErrorKind[]
}

/**
 * One function per method. Its promise must settle: until then the call stays in flight, whatever
 * its deadline. A missing, extra or wrongly typed function does not compile.
 */
export type Handlers<N extends MethodName = MethodName> = {
  readonly [M in N]: (
    context: CallContext,
    ...params: MethodParams<M>
  ) => MethodResult<M> | Promise<MethodResult<M>>
}

const noParams = v.tuple([])
const keyBytes = (meaning: string) => v.strictObject({ bytes: bytesOut(meaning) })
const cipherParams = (bytes: string) =>
  v.tuple([
    v.object({
      curve: encryptionCurve,
      publicKey: bytesIn("The peer's encryption key: SEC1, 33 bytes compressed or 65."),
      salt: bytesIn('HKDF salt of any length; the peer uses the same.'),
      bytes: bytesIn(bytes),
    }),
  ])

export const methodTable: { readonly [M in MethodName]: MethodRow<M> } = {
  processor_version: {
    summary: 'Bridge level of the host.',
    class: 'read',
    params: noParams,
    result: v.strictObject({
      version: text("`major.minor.patch`, such as `1.27.0`; never a package's version."),
    }),
    errors: [],
  },
  deployment_id: {
    summary: 'Identifier of the deployment and who deployed it.',
    class: 'read',
    params: noParams,
    result: v.strictObject({
      id: text('Unique together with `origin`; usually decimal digits.'),
      origin,
    }),
    errors: [],
  },
  deployment_ipfsHash: {
    summary: 'CID of the deployed bundle.',
    class: 'read',
    params: noParams,
    result: v.strictObject({ ipfsHash: text('The CID.') }),
    errors: [],
  },
  deployment_slot: {
    summary: 'Index of this processor among the assigned ones, null when none is assigned.',
    class: 'read',
    params: noParams,
    result: v.strictObject({
      slot: described(v.nullable(v.number()), 'From 0; null when no slot is assigned.'),
    }),
    errors: [],
  },
  deployment_publicKeys: {
    summary: "The deployment's signing keys.",
    class: 'read',
    params: noParams,
    result: v.strictObject({
      publicKeys: described(v.strictObject(signingKeys), 'Only curves that have a key.'),
    }),
    errors: [],
  },
  deployment_encryptionKeys: {
    summary: "The deployment's encryption keys.",
    class: 'read',
    params: noParams,
    result: v.strictObject({
      encryptionKeys: described(v.strictObject(encryptionKeys), 'Only curves that have a key.'),
    }),
    errors: [],
  },
  deployment_assignedProcessors: {
    summary: 'Keys of every processor that runs the deployment, by SS58 address.',
    class: 'read',
    params: noParams,
    result: v.strictObject({
      processors: described(
        v.record(v.string(), assignedProcessor),
        'By SS58 address; this processor is always one of them.',
      ),
    }),
    errors: [],
  },
  signer_publicKey: {
    summary: 'Signing key, or the HD key at a BIP-32 path.',
    class: 'key',
    params: v.tuple([v.object({ curve: signingCurve, derivationPath })]),
    result: v.strictObject({
      publicKey: bytesOut('SEC1 compressed, 33 bytes; ed25519: 32 bytes.'),
      derivationPath: v.exactOptional(text('As in the request.')),
    }),
    errors: ['UNSUPPORTED_CURVE', 'BAD_DERIVATION_PATH'],
  },
  signer_sign: {
    summary: 'Signature over exactly the given bytes.',
    class: 'key',
    params: v.tuple([
      v.object({
        curve: signingCurve,
        bytes: bytesIn('p256, secp256k1: the 32-byte digest, as it is. ed25519: the message.'),
        derivationPath,
      }),
    ]),
    result: keyBytes('64 bytes: raw `r‖s` with low s; ed25519: RFC 8032.'),
    errors: ['UNSUPPORTED_CURVE', 'BAD_DERIVATION_PATH', 'BAD_DIGEST_LENGTH'],
  },
  signer_encrypt: {
    summary: "Encrypts to a peer's key with the deployment's encryption key.",
    class: 'key',
    params: cipherParams('Plaintext; may be empty.'),
    result: keyBytes('`iv(12) ‖ ciphertext ‖ tag(16)`, AES-256-GCM.'),
    errors: ['UNSUPPORTED_CURVE', 'BAD_PUBLIC_KEY'],
  },
  signer_decrypt: {
    summary: "Decrypts with the deployment's encryption key what a peer encrypted.",
    class: 'key',
    params: cipherParams('`iv(12) ‖ ciphertext ‖ tag(16)`, as `signer_encrypt` gives them.'),
    result: keyBytes('The plaintext.'),
    errors: ['UNSUPPORTED_CURVE', 'BAD_PUBLIC_KEY', 'DECRYPT_FAILED'],
  },
  network_whitelist: {
    summary: "Takes a host's addresses out of the rate limit, once DNS shows that it consents.",
    class: 'network',
    params: v.tuple([v.object({ host })]),
    result: v.strictObject({}),
    errors: [
      'BAD_HOST',
      'FAILED_PRECONDITION',
      'TXT_MISSING',
      'TXT_MISMATCH',
      'NO_ADDRESS',
      'PTR_MISSING',
      'PTR_TXT_MISSING',
      'PTR_TXT_MISMATCH',
      'RESOLVER_FAILED',
    ],
  },
  'rpc.discover': {
    summary: 'Every method of the host and whether the caller may use it, as OpenRPC 1.3.',
    class: 'read',
    params: noParams,
    result: openRpcSchema,
    errors: [],
  },
}

/** Whether a wire name is in the table; also safe for names such as `__proto__`. */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methodTable, name)
}
