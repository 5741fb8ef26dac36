/**
 * THE method table: the only list of methods the bridge serves. Each row must compile against the
 * contract in `@causeway/guest-sdk/protocol`; validation and the version
 * gate read it. `since` and `platform` stand in the contract's `methodFacts`.
 * @module
 */
import {
  encryptionCurves,
  signingCurves,
  type ErrorKind,
  type MethodName,
  type MethodParams,
  type MethodResult,
} from '@causeway/guest-sdk/protocol'
import * as v from 'valibot'
import { hexPattern } from './hex.ts'

/** Who is calling; handed to every handler. */
export interface CallContext {
  /** Kernel credentials of the caller at accept. */
  peer: { pid: number; uid: number; gid: number }
  requestId: string
}

/** One method: what it takes, what it gives, and how it may fail beyond the standard kinds. */
export interface MethodRow<M extends MethodName> {
  summary: string
  params: v.GenericSchema<unknown, MethodParams<M>>
  result: v.GenericSchema<unknown, MethodResult<M>>
  errors: readonly ErrorKind[]
}

/** One function per method; a missing, extra or wrongly typed one does not compile. */
export type Handlers<N extends MethodName = MethodName> = {
  readonly [M in N]: (
    context: CallContext,
    ...params: MethodParams<M>
  ) => MethodResult<M> | Promise<MethodResult<M>>
}

// A schema's own message is the error kind that its refusal carries.
const kind = (name: ErrorKind) => name
const hex = v.pipe(v.string(), v.regex(hexPattern))
const signingCurve = v.picklist(signingCurves, kind('UNSUPPORTED_CURVE'))
const encryptionCurve = v.picklist(encryptionCurves, kind('UNSUPPORTED_CURVE'))
const noParams = v.tuple([])
const bytesResult = v.strictObject({ bytes: hex })
const cipherParams = v.tuple([
  v.object({ curve: encryptionCurve, publicKey: hex, salt: hex, bytes: hex }),
])
const signingKeys = {
  p256: v.exactOptional(hex),
  secp256k1: v.exactOptional(hex),
  ed25519: v.exactOptional(hex),
}
const assignedProcessor = v.strictObject({
  ...signingKeys,
  encP256: v.exactOptional(hex),
  encSecp256k1: v.exactOptional(hex),
})

export const methodTable: { readonly [M in MethodName]: MethodRow<M> } = {
  processor_version: {
    summary: 'Bridge level of the host.',
    params: noParams,
    result: v.strictObject({ version: v.string() }),
    errors: [],
  },
  deployment_id: {
    summary: 'Identifier of the deployment and who deployed it.',
    params: noParams,
    result: v.strictObject({
      id: v.string(),
      origin: v.strictObject({ kind: v.string(), source: hex }),
    }),
    errors: [],
  },
  deployment_ipfsHash: {
    summary: 'CID of the deployed bundle.',
    params: noParams,
    result: v.strictObject({ ipfsHash: v.string() }),
    errors: [],
  },
  deployment_slot: {
    summary: 'Index of this processor among the assigned ones, null when none is assigned.',
    params: noParams,
    result: v.strictObject({ slot: v.nullable(v.number()) }),
    errors: [],
  },
  deployment_publicKeys: {
    summary: "The deployment's signing keys.",
    params: noParams,
    result: v.strictObject({ publicKeys: v.strictObject(signingKeys) }),
    errors: [],
  },
  deployment_encryptionKeys: {
    summary: "The deployment's encryption keys.",
    params: noParams,
    result: v.strictObject({
      encryptionKeys: v.strictObject({
        p256: v.exactOptional(hex),
        secp256k1: v.exactOptional(hex),
      }),
    }),
    errors: [],
  },
  deployment_assignedProcessors: {
    summary: 'Keys of every processor that runs the deployment, by SS58 address.',
    params: noParams,
    result: v.strictObject({ processors: v.record(v.string(), assignedProcessor) }),
    errors: [],
  },
  signer_publicKey: {
    summary: 'Signing key, or the HD key at a BIP-32 path.',
    params: v.tuple([
      v.object({ curve: signingCurve, derivationPath: v.exactOptional(v.string()) }),
    ]),
    result: v.strictObject({ publicKey: hex, derivationPath: v.exactOptional(v.string()) }),
    errors: ['UNSUPPORTED_CURVE', 'BAD_DERIVATION_PATH'],
  },
  signer_sign: {
    summary: 'Signature over exactly the given bytes.',
    params: v.tuple([
      v.object({ curve: signingCurve, bytes: hex, derivationPath: v.exactOptional(v.string()) }),
    ]),
    result: bytesResult,
    errors: ['UNSUPPORTED_CURVE', 'BAD_DERIVATION_PATH', 'BAD_DIGEST_LENGTH'],
  },
  signer_encrypt: {
    summary: "Encrypts to a peer's key with the deployment's encryption key.",
    params: cipherParams,
    result: bytesResult,
    errors: ['UNSUPPORTED_CURVE', 'BAD_PUBLIC_KEY'],
  },
  signer_decrypt: {
    summary: "Decrypts with the deployment's encryption key what a peer encrypted.",
    params: cipherParams,
    result: bytesResult,
    errors: ['UNSUPPORTED_CURVE', 'BAD_PUBLIC_KEY', 'DECRYPT_FAILED'],
  },
}

/** Whether a wire name is in the table; safe for `__proto__` and the like. */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methodTable, name)
}
