import { describe, expect, it } from 'vitest'
import { methodFacts, type MethodName } from '@causeway/guest-sdk/protocol'
import { toErrorObject, type RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { parseParams } from '../../../../runtime/src/bridge/params/params.ts'

/** The params for the handler, or the content of the error reply. */
function outcome(method: MethodName, params: readonly unknown[]): unknown {
  try {
    return { taken: parseParams(method, params) }
  } catch (error) {
    return toErrorObject(error as RpcError)
  }
}

const refusal = (kind: string, message: string, field?: string) => ({
  code: -32602,
  message,
  data: { kind, retryable: false, ...(field !== undefined && { details: { field } }) },
})
const invalid = (message: string, field?: string) => refusal('INVALID_PARAMS', message, field)

const key = '02'.repeat(33)
const cipher = { curve: 'p256', publicKey: key, salt: '00', bytes: '' }
const withNesting = (depth: number) => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = { a: value }
  return value
}

/** A row for every method: a missing row does not compile. */
const valid: { readonly [M in MethodName]: readonly unknown[] } = {
  processor_version: [],
  deployment_id: [],
  deployment_ipfsHash: [],
  deployment_slot: [],
  deployment_publicKeys: [],
  deployment_encryptionKeys: [],
  deployment_assignedProcessors: [],
  signer_publicKey: [{ curve: 'ed25519' }],
  signer_sign: [{ curve: 'p256', bytes: '00'.repeat(32) }],
  signer_encrypt: [cipher],
  signer_decrypt: [cipher],
  network_whitelist: [{ host: 'example.com' }],
  'rpc.discover': [],
}
const methods = Object.keys(methodFacts) as MethodName[]
const withoutParams = methods.filter((method) => valid[method].length === 0)
const withParams = methods.filter((method) => valid[method].length > 0)

describe.each(methods)('%s', (method) => {
  it('accepts its params', () => {
    expect(outcome(method, valid[method])).toEqual({ taken: valid[method] })
  })

  it('ignores extra elements', () => {
    const sent = [...valid[method], 1, null, {}, ['x']]
    expect(outcome(method, sent)).toEqual({ taken: valid[method] })
  })
})

describe.each(withoutParams)('%s', (method) => {
  it.each([{ sent: [{}] }, { sent: [null] }, { sent: [{ a: 1 }] }, { sent: [[[]]] }])(
    'ignores $sent',
    ({ sent }) => {
      expect(outcome(method, sent)).toEqual({ taken: [] })
    },
  )
})

describe.each(withParams)('%s', (method) => {
  const [first = ''] = Object.keys(valid[method][0] as object)

  it.each([
    { sent: [], found: 'nothing' },
    { sent: [null], found: 'null' },
    { sent: [1], found: 'a number' },
    { sent: ['p256'], found: 'a string' },
    { sent: [true], found: 'a boolean' },
    { sent: [['p256']], found: 'an array' },
  ])('refuses $sent', ({ sent, found }) => {
    const message = `${method}: params: expected one object, found ${found}`
    expect(outcome(method, sent)).toEqual(invalid(message))
  })

  it('refuses an empty object, naming the first field', () => {
    const message = `${method}: ${first}: expected a value, found nothing`
    expect(outcome(method, [{}])).toEqual(invalid(message, first))
  })

  it('ignores unknown fields, whatever their name', () => {
    const [params] = valid[method]
    const odd = JSON.parse('{"__proto__":{"curve":"x"},"constructor":1,"Curve":2,"":3}') as object
    expect(outcome(method, [{ ...odd, ...(params as object) }])).toEqual({ taken: valid[method] })
  })

  it('refuses fields that exist only in a __proto__ member', () => {
    const [params] = valid[method]
    const sent = JSON.parse(`{"__proto__":${JSON.stringify(params)}}`) as unknown
    const message = `${method}: ${first}: expected a value, found nothing`
    expect(outcome(method, [sent])).toEqual(invalid(message, first))
  })

  it.each([1, 5, 10_000])('ignores an unknown field of %i levels', (depth) => {
    const [params] = valid[method]
    const sent = { ...(params as object), extra: withNesting(depth) }
    expect(outcome(method, [sent])).toEqual({ taken: valid[method] })
  })
})

describe('curve', () => {
  const signing = '"p256" | "secp256k1" | "ed25519"'
  const encryption = '"p256" | "secp256k1"'
  it.each<{ method: MethodName; curve: unknown; expected: string; found: string }>([
    { method: 'signer_sign', curve: 'p384', expected: signing, found: '"p384"' },
    { method: 'signer_sign', curve: 'P256', expected: signing, found: '"P256"' },
    { method: 'signer_sign', curve: '', expected: signing, found: '""' },
    { method: 'signer_sign', curve: '__proto__', expected: signing, found: '"__proto__"' },
    {
      method: 'signer_sign',
      curve: 'x'.repeat(50),
      expected: signing,
      found: `"${'x'.repeat(40)}"`,
    },
    { method: 'signer_sign', curve: 7, expected: signing, found: 'a number' },
    { method: 'signer_publicKey', curve: ['p256'], expected: signing, found: 'an array' },
    { method: 'signer_encrypt', curve: 'ed25519', expected: encryption, found: '"ed25519"' },
    { method: 'signer_decrypt', curve: 'ed25519', expected: encryption, found: '"ed25519"' },
  ])('$method refuses $curve', ({ method, curve, expected, found }) => {
    const sent = [{ ...(valid[method][0] as object), curve }]
    const message = `${method}: curve: expected ${expected}, found ${found}`
    expect(outcome(method, sent)).toEqual(refusal('UNSUPPORTED_CURVE', message, 'curve'))
  })

  it('refuses null as a curve', () => {
    const message = 'signer_publicKey: curve: expected a value, found nothing'
    expect(outcome('signer_publicKey', [{ curve: null }])).toEqual(invalid(message, 'curve'))
  })
})

describe('derivationPath', () => {
  it('treats null as absent', () => {
    const sent = [{ curve: 'p256', derivationPath: null }]
    expect(outcome('signer_publicKey', sent)).toEqual({ taken: [{ curve: 'p256' }] })
  })

  it.each([
    { path: 0, found: 'a number' },
    { path: ['m'], found: 'an array' },
    { path: {}, found: 'an object' },
    { path: false, found: 'a boolean' },
  ])('refuses $path', ({ path, found }) => {
    const sent = [{ curve: 'secp256k1', derivationPath: path }]
    const message = `signer_publicKey: derivationPath: expected string, found ${found}`
    expect(outcome('signer_publicKey', sent)).toEqual(invalid(message, 'derivationPath'))
  })
})

const hexFields = [
  { method: 'signer_sign', field: 'bytes' },
  { method: 'signer_encrypt', field: 'publicKey' },
  { method: 'signer_encrypt', field: 'salt' },
  { method: 'signer_encrypt', field: 'bytes' },
  { method: 'signer_decrypt', field: 'publicKey' },
  { method: 'signer_decrypt', field: 'salt' },
  { method: 'signer_decrypt', field: 'bytes' },
] as const

describe.each(hexFields)('$method $field', ({ method, field }) => {
  const withField = (value: unknown) => [{ ...(valid[method][0] as object), [field]: value }]

  it.each(['', '0x', 'ab', 'AB', 'aB', '0xabCD', '0Xab', '00'.repeat(1000)])(
    'takes %j',
    (value) => {
      expect(outcome(method, withField(value))).toEqual({ taken: withField(value) })
    },
  )

  it.each([
    { value: 'a', found: 'an odd number of digits (1)' },
    { value: '0xa', found: 'an odd number of digits (1)' },
    { value: 'abc', found: 'an odd number of digits (3)' },
    { value: 'zz', found: 'a character that is no hex digit at position 0' },
    { value: 'abz', found: 'a character that is no hex digit at position 2' },
    { value: '0xabzz', found: 'a character that is no hex digit at position 4' },
    { value: '0Xabzz', found: 'a character that is no hex digit at position 4' },
    { value: 'ab cd', found: 'a character that is no hex digit at position 2' },
    { value: 'ab\n', found: 'a character that is no hex digit at position 2' },
    { value: '\nab', found: 'a character that is no hex digit at position 0' },
    { value: 'ａｂ', found: 'a character that is no hex digit at position 0' },
  ])('refuses $value', ({ value, found }) => {
    const message = `${method}: ${field}: expected hex digits of even length, found ${found}`
    expect(outcome(method, withField(value))).toEqual(invalid(message, field))
  })

  it.each([
    { value: 1, found: 'a number' },
    { value: true, found: 'a boolean' },
    { value: ['ab'], found: 'an array' },
    { value: { type: 'Buffer', data: [1] }, found: 'an object' },
  ])('refuses $value', ({ value, found }) => {
    const message = `${method}: ${field}: expected string, found ${found}`
    expect(outcome(method, withField(value))).toEqual(invalid(message, field))
  })

  it.each([
    { name: 'null', sent: withField(null) },
    { name: 'its absence', sent: JSON.parse(JSON.stringify(withField(undefined))) as unknown[] },
  ])('refuses $name', ({ sent }) => {
    const message = `${method}: ${field}: expected a value, found nothing`
    expect(outcome(method, sent)).toEqual(invalid(message, field))
  })

  it.each(['topsecret-plaintext', 'c0ffee00c0ffee00c', `${'5ec2e7'.repeat(9)}!`])(
    'never repeats a wrong value: %s',
    (value) => {
      const reply = JSON.stringify(outcome(method, withField(value)))
      const parts = Array.from({ length: value.length - 3 }, (_, at) => value.slice(at, at + 4))
      expect(parts.filter((part) => reply.includes(part))).toEqual([])
    },
  )
})

it('checks 1 MiB of hex, right and wrong at the last digit', () => {
  const digits = 'ab'.repeat(512 * 1024)
  const sign = (bytes: string) => outcome('signer_sign', [{ curve: 'ed25519', bytes }])
  expect(sign(digits)).toEqual({ taken: [{ curve: 'ed25519', bytes: digits }] })
  expect(sign(`${digits.slice(0, -1)}g`)).toMatchObject({ code: -32602 })
})
