import { expect, test } from 'vitest'
import { callText } from '../../../../runtime/src/cli/print/call-text.ts'

const rows = [
  {
    name: 'bytes are cut and counted',
    record: {
      method: 'signer_sign',
      params: [{ curve: 'p256', bytes: 'ab'.repeat(32) }],
      result: { bytes: 'cd'.repeat(64) },
    },
    text: 'signer_sign(p256, 32 bytes) → "cdcdcdcdcdcdcdcdcdcd… (64 bytes)", 1.0 ms',
  },
  {
    name: 'a plaintext is only counted',
    record: {
      method: 'signer_decrypt',
      params: [{ curve: 'p256', bytes: '00' }],
      result: { bytes: '736563726574' },
    },
    text: 'signer_decrypt(p256, 1 bytes) → 6 bytes, 1.0 ms',
  },
  {
    name: 'a host is named',
    record: { method: 'network_whitelist', params: [{ host: 'a.example' }], result: {} },
    text: 'network_whitelist(a.example) → {}, 1.0 ms',
  },
  {
    name: 'null is null',
    record: { method: 'deployment_slot', params: [], result: { slot: null } },
    text: 'deployment_slot() → null, 1.0 ms',
  },
]

test.for(rows)('$name', ({ record: { method, params, result }, text }) => {
  expect(callText({ method, params, outcome: { result }, durationMs: 1 })).toBe(text)
})

test('an error is its kind and message', () => {
  const outcome = { error: { kind: 'PARSE', message: 'what' } }
  expect(callText({ method: 'x', params: [], outcome, durationMs: 1 })).toBe(
    'x() → PARSE: what, 1.0 ms',
  )
})
