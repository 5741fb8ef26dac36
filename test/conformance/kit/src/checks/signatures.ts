/**
 * `signer_sign`, verified by node:crypto.
 * @module
 */
import type { Bridge, Check } from '../check.ts'
import { hasLowS, isSigned, signingCurves, type SigningCurve } from '../curves.ts'
import { expectThat } from '../outcome.ts'
import { sections } from '../sections.ts'
import { checkSignatures, keyOf, messages, refusesSign, sign } from './signing.ts'

const section = sections.signer
const ecdsaCurves = ['p256', 'secp256k1'] as const

async function checkLowS(bridge: Bridge, curve: 'p256' | 'secp256k1'): Promise<void> {
  for (const message of messages) {
    const signature = await sign(bridge, curve, message)
    expectThat(hasLowS(curve, signature), 's in the lower half', signature.toString('hex'))
  }
}

async function checkSame(bridge: Bridge, curve: SigningCurve): Promise<void> {
  const message = Buffer.from('twice the same')
  const first = await sign(bridge, curve, message)
  const second = await sign(bridge, curve, message)
  expectThat(second.equals(first), first.toString('hex'), second.toString('hex'))
}

async function checkEd25519(bridge: Bridge, lengths: readonly number[]): Promise<void> {
  const key = await keyOf(bridge, { curve: 'ed25519' })
  for (const length of lengths) {
    const message = Buffer.alloc(length, 'm')
    const signature = await sign(bridge, 'ed25519', message)
    const isValid = isSigned('ed25519', key, message, signature)
    expectThat(isValid, `a signature over ${length} bytes that verifies`, signature.toString('hex'))
  }
}

const perCurve = (curve: SigningCurve): Check => ({
  id: `sign.${curve}`,
  section,
  title: `${curve} signatures have 64 bytes and verify`,
  run: (bridge) => checkSignatures(bridge, curve),
})

const perEcdsaCurve = (curve: 'p256' | 'secp256k1'): readonly Check[] => [
  {
    id: `sign.low-s-${curve}`,
    section,
    title: `${curve} signatures have a low s`,
    // The specification requires it for secp256k1 only.
    ...(curve === 'p256' && { profile: 'causeway' as const }),
    run: (bridge) => checkLowS(bridge, curve),
  },
  {
    id: `sign.deterministic-${curve}`,
    section,
    title: `${curve} signs the same digest to the same bytes (RFC 6979)`,
    profile: 'causeway',
    run: (bridge) => checkSame(bridge, curve),
  },
  {
    id: `sign.digest-length-${curve}`,
    section,
    title: `${curve} signs only 32 bytes: -32602`,
    profile: 'causeway',
    async run(bridge) {
      for (const length of [0, 31, 33, 64])
        await refusesSign(bridge, { curve, bytes: '00'.repeat(length) })
    },
  },
]

/** Checks of signatures. */
export const signatureChecks: readonly Check[] = [
  ...signingCurves.map(perCurve),
  ...ecdsaCurves.flatMap(perEcdsaCurve),
  {
    id: 'sign.ed25519-lengths',
    section,
    title: 'ed25519 signs messages of any length',
    run: (bridge) => checkEd25519(bridge, [1, 31, 33, 10_000]),
  },
  {
    id: 'sign.ed25519-empty',
    section,
    title: 'ed25519 signs the empty message',
    profile: 'causeway',
    run: (bridge) => checkEd25519(bridge, [0]),
  },
  {
    id: 'sign.unknown-curve',
    section,
    title: 'an unknown curve: -32602',
    run: (bridge) => refusesSign(bridge, { curve: 'p384', bytes: '00'.repeat(32) }),
  },
]
