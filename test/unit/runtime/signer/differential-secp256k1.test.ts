import { expect, it } from 'vitest'
import { compareSignatures } from '../../../support/signer-comparison.ts'

it('100,000 signatures of 1,000 keys equal those of noble, byte by byte', async () => {
  const compared = await compareSignatures('secp256k1', 1000, (random) => random.word())
  expect(compared).toBe(100_000)
}, 600_000)
