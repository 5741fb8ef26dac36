/**
 * Schemas of fields in params and results, described for the reference and `rpc.discover`.
 * @module
 */
import { encryptionCurves, signingCurves, type ErrorKind } from '@causeway/guest-sdk/protocol'
import * as v from 'valibot'
import { hexPattern } from '../hex.ts'

/** A schema with a description of its value, in one sentence. */
export function described<S extends v.GenericSchema>(schema: S, meaning: string) {
  return v.pipe(schema, v.description(meaning))
}

// The message of a schema is the error kind for values that it refuses.
const kind = (name: ErrorKind) => name

const hexIn = v.pipe(v.string(), v.regex(hexPattern), v.title('hex'))
const hexOut = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{2})*$/), v.title('hex'))

/** Bytes as a caller sends them. */
export const bytesIn = (meaning: string) => described(hexIn, meaning)

/** Bytes as the bridge sends them. */
export const bytesOut = (meaning: string) => described(hexOut, meaning)

export const text = (meaning: string) => described(v.string(), meaning)

export const signingCurve = described(
  v.picklist(signingCurves, kind('UNSUPPORTED_CURVE')),
  'Curve of the signing key.',
)
export const encryptionCurve = described(
  v.picklist(encryptionCurves, kind('UNSUPPORTED_CURVE')),
  'Curve of the encryption key; the peer has one on the same.',
)
export const derivationPath = v.exactOptional(
  text("BIP-32 path as `m/44'/60'/0'/0/0` (`'`, `h` or `H`: hardened), secp256k1 only."),
)

export const host = text('Bare hostname: no scheme, port or path, and no address.')

const compressed = v.exactOptional(bytesOut('SEC1 compressed, 33 bytes.'))

export const signingKeys = {
  p256: compressed,
  secp256k1: compressed,
  ed25519: v.exactOptional(bytesOut('32 bytes.')),
}
export const encryptionKeys = { p256: compressed, secp256k1: compressed }
export const assignedProcessor = v.strictObject({
  ...signingKeys,
  encP256: v.exactOptional(bytesOut('Encryption key, SEC1 compressed, 33 bytes.')),
  encSecp256k1: v.exactOptional(bytesOut('Encryption key, SEC1 compressed, 33 bytes.')),
})

export const origin = described(
  v.strictObject({
    kind: text("The network's name for the kind of account, as the operator set it."),
    source: bytesOut("The owner's account, its raw bytes."),
  }),
  'Who deployed it.',
)
