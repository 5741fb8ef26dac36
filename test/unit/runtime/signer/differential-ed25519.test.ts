import { expect, it } from 'vitest'
import { compareSignatures } from '../../../support/signer-comparison.ts'

const maxBytes = 300

it('100,000 signatures of 1,000 keys equal those of noble, byte by byte', async () => {
  const compared = await compareSignatures('ed25519', 1000, (random) =>
    random.bytes(random.below(maxBytes)),
  )
  expect(compared).toBe(100_000)
}, 600_000)
