/**
 * NIST's key agreements on P-256. Each Z becomes a ciphertext made by node:crypto, which opens when
 * the signer comes to the same Z.
 */
import { describe, expect, it } from 'vitest'
import { slots, type SignerBackend } from '../../runtime/src/signer/backend.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import { cipherKey, sealWith } from '../support/signer-reference.ts'
import { parseVectors, wordOf, type Vector } from './debian-vectors.ts'

const files = ['NOKC_ZZOnly_init', 'NOKC_ZZOnly_resp', 'KDFConcat_NOKC_init', 'KDFConcat_NOKC_resp']
const vectors = files
  .flatMap((name) => parseVectors(`asymmetric/ECDH/KASValidityTest_ECCStaticUnified_${name}.fax`))
  .filter(({ section, fields }) => section.startsWith('[EC - SHA') && fields['Result'])

type Verdict = 'agreed' | 'bad peer' | 'not agreed'

// What the files' number of each result means for us. 5 to 7: the private key has another public
// key than the file says, and so another Z. 9 to 12: what they derive from Z is not our business.
const verdicts: Record<string, Verdict> = {
  '0': 'agreed',
  '1': 'bad peer',
  '2': 'bad peer',
  '5': 'not agreed',
  '6': 'not agreed',
  '7': 'not agreed',
  '8': 'not agreed',
  '9': 'agreed',
  '10': 'agreed',
  '11': 'agreed',
  '12': 'agreed',
  '13': 'agreed',
  '14': 'agreed',
}

function expectedVerdict({ fields }: Vector): Verdict | undefined {
  return verdicts[/\((\d+)/.exec(fields['Result'] ?? '')?.[1] ?? '']
}

function compressed(vector: Vector, name: string): Uint8Array {
  const last = wordOf(vector, `${name}y`)[31]!
  return Uint8Array.of(2 + (last & 1), ...wordOf(vector, `${name}x`))
}

/** The whole point, not compressed: half of the wrong ones have a wrong y. */
function peerOf(vector: Vector): Uint8Array {
  return Uint8Array.of(4, ...wordOf(vector, 'QsCAVSx'), ...wordOf(vector, 'QsCAVSy'))
}

function verdict(backend: SignerBackend, vector: Vector): Verdict {
  const keys = openKeys(backend, { signing: {}, encryption: { p256: wordOf(vector, 'dsIUT') } })
  const salt = Buffer.from('salt')
  const publicKeys = [compressed(vector, 'QsIUT'), compressed(vector, 'QsCAVS')] as const
  const key = cipherKey('p256', wordOf(vector, 'Z'), salt, publicKeys)
  const sealed = sealWith(key, new Uint8Array(12), Buffer.from('text'))
  const agreement = { peerPublicKey: peerOf(vector), salt }
  const opened = keys.decrypt(slots.encryption.p256, agreement, sealed)
  if (opened === 'BAD_PUBLIC_KEY') return 'bad peer'
  return opened === 'DECRYPT_FAILED' ? 'not agreed' : 'agreed'
}

describe.each(backends)('NIST’s key agreements on P-256, $name', (backend) => {
  it('240 of them come out as the files say', () => {
    expect(vectors).toHaveLength(2 * 30 + 2 * 3 * 30)
    const found = vectors.map((vector) => verdict(backend, vector))
    expect(found).toEqual(vectors.map(expectedVerdict))
  })
})

it('the files hold every kind of result, Zs with leading zeros among them', () => {
  expect(new Set(vectors.map(expectedVerdict))).toEqual(new Set(Object.values(verdicts)))
  expect(vectors.filter(({ fields }) => fields['Z']?.startsWith('0')).length).toBeGreaterThan(5)
})
