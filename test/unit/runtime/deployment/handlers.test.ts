import { describe, expect, it } from 'vitest'
import { createKeyring } from '../../../../runtime/src/signer/keyring.ts'
import { fixedKeys } from '../../../support/deployment-keys.ts'
import { dispatchFixture, request } from '../../../support/dispatch-fixture.ts'
import { hex } from '../../../support/hex.ts'
import { native } from '../../../support/signer-backends.ts'
import { fixedFacts, realHandlers } from '../../../support/real-handlers.ts'

const { publicKeys, encryptionKeys } = createKeyring(native.openKeys(fixedKeys()))
const signing = {
  p256: hex(publicKeys.p256),
  secp256k1: hex(publicKeys.secp256k1),
  ed25519: hex(publicKeys.ed25519),
}
const encryption = { p256: hex(encryptionKeys.p256), secp256k1: hex(encryptionKeys.secp256k1) }
const own = { ...signing, encP256: encryption.p256, encSecp256k1: encryption.secp256k1 }
const other = { p256: '02'.repeat(33) }

async function resultOf(method: string, facts = {}): Promise<unknown> {
  const { ask } = dispatchFixture({ handlers: realHandlers(facts) })
  return ((await ask(request(method))) as { result: unknown }).result
}

describe('deployment_* (bridge spec, Processor and deployment methods)', () => {
  it.each([
    { method: 'deployment_id', result: { id: fixedFacts.id, origin: fixedFacts.origin } },
    { method: 'deployment_ipfsHash', result: { ipfsHash: fixedFacts.ipfsHash } },
    { method: 'deployment_slot', result: { slot: 3 } },
    { method: 'deployment_publicKeys', result: { publicKeys: signing } },
    { method: 'deployment_encryptionKeys', result: { encryptionKeys: encryption } },
    {
      method: 'deployment_assignedProcessors',
      result: { processors: { [fixedFacts.processorAddress]: own } },
    },
  ])('$method', async ({ method, result }) => {
    expect(await resultOf(method)).toStrictEqual(result)
  })

  it.each([null, 0, 5])('slot %j', async (slot) => {
    expect(await resultOf('deployment_slot', { slot })).toStrictEqual({ slot })
  })

  it('returns keys of the lengths that jobs expect', () => {
    expect(Object.values(own).map((key) => key.length)).toEqual([66, 66, 64, 66, 66])
    expect(new Set(Object.values(own)).size).toBe(5)
  })

  it('lists other processors beside this one', async () => {
    const assignedProcessors = { '5Other': other }
    expect(await resultOf('deployment_assignedProcessors', { assignedProcessors })).toStrictEqual({
      processors: { '5Other': other, [fixedFacts.processorAddress]: own },
    })
  })

  it('lists this processor once, with its own keys', async () => {
    const assignedProcessors = { [fixedFacts.processorAddress]: other, '5Other': {} }
    expect(await resultOf('deployment_assignedProcessors', { assignedProcessors })).toStrictEqual({
      processors: { [fixedFacts.processorAddress]: own, '5Other': {} },
    })
  })
})
