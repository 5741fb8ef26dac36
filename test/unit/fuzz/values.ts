/**
 * JSON of every kind, as text, and what real callers send.
 * @module
 */
import { methodFacts, type MethodName } from '@causeway/guest-sdk/protocol'
import fc from 'fast-check'
import { exampleParams } from '../../generate/examples.ts'

export const methods = Object.keys(methodFacts) as MethodName[]

/** Mostly the first, sometimes the second. */
export function mostly<T, U>(first: fc.Arbitrary<T>, second: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 6, arbitrary: first }, { weight: 1, arbitrary: second })
}

const depth = 3000
const odd = [
  '0',
  '-0',
  '1e999',
  '-1e999',
  '1e-999',
  '9007199254740993',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '{}',
  '[]',
  '[null]',
  '{"__proto__":{"method":"signer_sign"}}',
  '{"toString":null,"constructor":1}',
  `${'['.repeat(depth)}${']'.repeat(depth)}`,
  `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
]

/** Any JSON value as text. */
export const jsonText = mostly(fc.json({ maxDepth: 3 }), fc.constantFrom(...odd))

/** A method's name as text, mostly a real one. */
export const methodText = mostly(
  fc.constantFrom(...methods),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '',
    'signer_Sign',
    'rpc.',
    'x'.repeat(99),
  ),
).map((name) => JSON.stringify(name))

/** An id as text; the digits of some are more than a number holds. */
export const idText = fc.oneof(
  fc.constantFrom('"1"', '1', '0', '-1', '1.5', 'null', '""', '1763632800123456789'),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
)

/** The request of each example with ids of every type, and without. */
export const goodLines = methods.flatMap((method) =>
  ['"1"', '7', '1763632800123456789', 'null', undefined].map((id) => {
    const params = JSON.stringify(exampleParams[method])
    const start = `{"jsonrpc":"2.0","method":"${method}","params":${params}`
    return id === undefined ? `${start}}` : `${start},"id":${id}}`
  }),
)
