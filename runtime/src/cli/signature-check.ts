/**
 * Checks the demo's signatures with OpenSSL (node:crypto), which shares no code with the signer.
 * @module
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import type { CallRecord } from '../bridge/dispatch.ts'

interface SignedCall {
  curve: SigningCurve
  derivationPath?: string
}

// DER of SubjectPublicKeyInfo up to the key bytes (RFC 5480, RFC 8410), compressed points.
const keyHeaders: Record<SigningCurve, string> = {
  p256: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
  secp256k1: '3036301006072a8648ce3d020106052b8104000a032200',
  ed25519: '302a300506032b6570032100',
}

/**
 * Checks each `signer_sign` among the calls.
 * @returns one line for each
 * @param message what the job signed; p256 and secp256k1 got its SHA-256
 * @throws Error naming the call when a signature does not verify
 */
export function checkSignatures(calls: readonly CallRecord[], message: Buffer): string[] {
  return resultsOf(calls, 'signer_sign').map(([params, { bytes = '' }]) => {
    const { curve, derivationPath } = params
    const key = publicKey(curve, findPublicKey(calls, params))
    const hash = curve === 'ed25519' ? null : 'sha256'
    const signature = Buffer.from(bytes, 'hex')
    const name = derivationPath === undefined ? curve : `${curve} ${derivationPath}`
    if (!verify(hash, message, { key, dsaEncoding: 'ieee-p1363' }, signature)) {
      throw new Error(`signature check: OpenSSL refuses the ${name} signature`)
    }
    return `${name}: OpenSSL verifies it`
  })
}

type Result = Partial<Record<'bytes' | 'publicKey', string>>

function resultsOf(calls: readonly CallRecord[], method: string): [SignedCall, Result][] {
  return calls.flatMap(({ method: name, params, outcome }) =>
    name === method && 'result' in outcome
      ? [[params[0] as SignedCall, outcome.result as Result]]
      : [],
  )
}

function findPublicKey(calls: readonly CallRecord[], wanted: SignedCall): string {
  const found = resultsOf(calls, 'signer_publicKey').find(
    ([params]) => params.curve === wanted.curve && params.derivationPath === wanted.derivationPath,
  )
  return found?.[1].publicKey ?? ''
}

function publicKey(curve: SigningCurve, hex: string): KeyObject {
  const key = Buffer.from(keyHeaders[curve] + hex, 'hex')
  return createPublicKey({ key, format: 'der', type: 'spki' })
}
