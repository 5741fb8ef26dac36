import { expect, it } from 'vitest'
import { compareSignatures, signatureCount } from '../../../support/signer-comparison.ts'
import { grouped } from '../../../support/effort.ts'

it(`${grouped(signatureCount)} signatures equal those of noble, byte by byte`, async () => {
  const compared = await compareSignatures('secp256k1', (random) => random.word())
  expect(compared).toBe(signatureCount)
}, 600_000)
