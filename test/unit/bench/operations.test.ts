import { describe, expect, test } from 'vitest'
import { cpuTimeUs } from '../../bench/signer/cpu-time.ts'
import { operationNames, operationsOf } from '../../bench/signer/operations.ts'
import { portableBackend } from '../../../runtime/src/signer/portable/backend.ts'
import type { SecretKeys } from '../../../runtime/src/signer/backend.ts'

describe('operations', { timeout: 60_000 }, () => {
  test.each(operationNames)('%s: another input each time, and no refusal', (name) => {
    const inputs: unknown[] = []
    const noting = (keys: SecretKeys): SecretKeys => ({
      ...keys,
      sign: (slot, bytes) => (inputs.push(bytes), keys.sign(slot, bytes)),
      encrypt: (slot, agreement, plaintext) => (
        inputs.push(agreement.peerPublicKey),
        keys.encrypt(slot, agreement, plaintext)
      ),
      derive: (slot, indexes) => (inputs.push(indexes), keys.derive(slot, indexes)),
    })
    const openKeys: typeof portableBackend.openKeys = (keys) =>
      noting(portableBackend.openKeys(keys))
    const operation = operationsOf({ ...portableBackend, openKeys })[name]
    for (const turn of [0, 1, 2]) operation(turn)
    expect(new Set(inputs.map((input) => JSON.stringify(input))).size).toBe(3)
  })

  test('an operation that fails is no figure', () => {
    const refusing = {
      ...portableBackend,
      openKeys: (keys: Parameters<typeof portableBackend.openKeys>[0]) => ({
        ...portableBackend.openKeys(keys),
        encrypt: () => 'BAD_PUBLIC_KEY' as const,
      }),
    }
    const operation = operationsOf(refusing)['p256 encrypt nothing, peer of 33 bytes']
    expect(() => cpuTimeUs(operation)).toThrow('BAD_PUBLIC_KEY')
  })
})

test('CPU time: every turn has a number of its own', { timeout: 60_000 }, () => {
  let expected = 0
  const operation = (turn: number) => expect(turn).toBe(expected++)
  expect(cpuTimeUs(operation)).toBeGreaterThan(0)
  expect(expected).toBeGreaterThan(0)
})
