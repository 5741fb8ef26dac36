import { expect, it } from 'vitest'
import { compareSignatures, signatureCount } from '../../../support/signer-comparison.ts'
import { grouped } from '../../../support/effort.ts'

const maxBytes = 300

it(`${grouped(signatureCount)} signatures equal those of noble, byte by byte`, async () => {
  const compared = await compareSignatures('ed25519', (random) =>
    random.bytes(random.below(maxBytes)),
  )
  expect(compared).toBe(signatureCount)
}, 600_000)
