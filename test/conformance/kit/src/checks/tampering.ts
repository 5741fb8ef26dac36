/**
 * Ciphertexts that were changed in transit.
 * @module
 */
import { call } from '../call.ts'
import type { Bridge } from '../check.ts'
import type { EncryptionCurve } from '../curves.ts'
import { CheckFailed, expectThat, shown } from '../outcome.ts'
import { ivBytes, tagBytes } from '../peer.ts'
import { ownKey, paramsOf, transform } from './channel.ts'

const plaintext = Buffer.from('not to be changed')
const salt = Buffer.from('0102', 'hex')
const overhead = ivBytes + tagBytes

/** Changes of a ciphertext after which it must not be decrypted. */
const tampered: readonly ((sealed: Buffer) => Buffer)[] = [
  (sealed) => flipped(sealed, 0),
  (sealed) => flipped(sealed, ivBytes),
  (sealed) => flipped(sealed, sealed.length - 1),
  (sealed) => sealed.subarray(0, -1),
  (sealed) => sealed.subarray(0, overhead - 1),
  () => Buffer.alloc(0),
]

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at]! ^= 1
  return changed
}

/** The refusals of each changed ciphertext, and of one with another salt. */
export async function refusals(bridge: Bridge, curve: EncryptionCurve): Promise<readonly string[]> {
  const channel = { curve, publicKey: await ownKey(bridge, curve), salt }
  const sealed = await transform(bridge, 'signer_encrypt', channel, plaintext)
  const attempts = [
    ...tampered.map((change) => paramsOf(channel, change(sealed))),
    paramsOf({ ...channel, salt: Buffer.from('ff', 'hex') }, sealed),
  ]
  const texts: string[] = []
  for (const params of attempts) texts.push(await refusalText(bridge, params))
  return texts
}

async function refusalText(bridge: Bridge, params: object): Promise<string> {
  const outcome = await call(bridge, 'signer_decrypt', params)
  if ('result' in outcome) throw new CheckFailed('an error', shown(outcome.result))
  return `${outcome.error.code} ${outcome.error.message}`
}

/** Different texts would tell an attacker which guess came closer. */
export async function checkUniform(bridge: Bridge, curve: EncryptionCurve): Promise<void> {
  const texts = new Set(await refusals(bridge, curve))
  expectThat(texts.size === 1, 'one text for every cause', [...texts].join(' | '))
}
