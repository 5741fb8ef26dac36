import { HDKey } from '@scure/bip32'
import { expect, it } from 'vitest'
import { slots } from '../../../../runtime/src/signer/backend.ts'
import { grouped, times } from '../../../support/effort.ts'
import { native, openKeys } from '../../../support/signer-backends.ts'
import { expectSame } from '../../../support/signer-comparison.ts'
import { checkEach, type RandomSource } from '../../../support/signer-random.ts'
import { referenceSignature } from '../../../support/signer-reference.ts'

const pathsOfSeed = 50
const keyCount = times({ short: 400, long: 5000 })
const maxDepth = 10

/** Up to ten indexes: half of them hardened, every fourth one the smallest or the largest. */
function drawPath(random: RandomSource): number[] {
  const edges = [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1]
  const drawIndex = () =>
    random.below(4) === 0
      ? edges[random.below(edges.length)]!
      : Buffer.from(random.bytes(4)).readUInt32BE()
  return Array.from({ length: random.below(maxDepth + 1) }, drawIndex)
}

function referenceKey(seed: Uint8Array, path: readonly number[]): HDKey {
  return path.reduce((key, index) => key.deriveChild(index), HDKey.fromMasterSeed(seed))
}

it(`${grouped(keyCount)} keys equal those of @scure/bip32, ${pathsOfSeed} of each seed`, async () => {
  const compared = await checkEach('hd', keyCount / pathsOfSeed, (random) => {
    const hdSeed = random.bytes(64)
    const keys = openKeys(native, { signing: {}, encryption: {}, hdSeed })
    for (let count = 0; count < pathsOfSeed; count++) {
      const path = drawPath(random)
      const expected = referenceKey(hdSeed, path)
      const slot = slots.firstDerived + random.below(1024)
      keys.derive(slot, path)
      const digest = random.word()
      const signature = referenceSignature('secp256k1', expected.privateKey!, digest)
      expectSame(`public key at ${path.join('/')}`, keys.publicKey(slot), expected.publicKey!)
      expectSame(`signature at ${path.join('/')}`, keys.sign(slot, digest), signature)
    }
    keys.destroy()
    return pathsOfSeed
  })
  expect(compared).toBe(keyCount)
}, 600_000)
