/**
 * valibot schema → values that it takes.
 * @module
 */
import fc from 'fast-check'
import * as v from 'valibot'

/** What a schema of the method table is made of. */
interface Node {
  type: string
  items?: Node[]
  entries?: Record<string, Node>
  options?: string[]
  wrapped?: Node
  pipe?: { type: string; title?: string }[]
}

const generator = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'
const secp256k1Key = '023c72addb4fdf09af94f0c94d7fe92a386a7e70cf8a1d85916386bb2535c7b1b1'
const hexWords = ['', '0x', '00', 'aB', '00'.repeat(32), `0x${'FF'.repeat(32)}`, generator]
const hex = fc.oneof(
  fc.constantFrom(...hexWords, secp256k1Key, `02${'00'.repeat(32)}`, '5a'.repeat(65)),
  fc.nat(40).map((length) => '7b'.repeat(length)),
)
const steps = fc.array(fc.constantFrom('0', '44h', "1'", '2147483647', '2147483648', '-1'), {
  maxLength: 11,
})
const text = fc.oneof(
  steps.map((indexes) => ['m', ...indexes].join('/')),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

/** @throws Error for a kind of schema that no params had so far */
export function valuesOf(schema: v.GenericSchema): fc.Arbitrary<unknown> {
  return fromNode(schema as unknown as Node)
}

function fromNode(node: Node): fc.Arbitrary<unknown> {
  const { items = [], entries = {}, options = [], wrapped } = node
  if (node.type === 'tuple') return fc.tuple(...items.map(fromNode))
  if (node.type === 'object') return objects(entries)
  if (node.type === 'picklist') return fc.constantFrom(...options)
  if (node.type === 'exact_optional' && wrapped) return fromNode(wrapped)
  if (node.type === 'string') return isHex(node) ? hex : text
  throw new Error(`schema-values.ts makes no values for ${node.type} yet`)
}

function objects(entries: Record<string, Node>): fc.Arbitrary<unknown> {
  const names = Object.keys(entries)
  const values = Object.fromEntries(names.map((name) => [name, fromNode(entries[name]!)]))
  const requiredKeys = names.filter((name) => entries[name]?.type !== 'exact_optional')
  return fc.record(values, { requiredKeys })
}

function isHex({ pipe = [] }: Node): boolean {
  return pipe.some(({ title }) => title === 'hex') || pipe.some((part) => isHex(part as Node))
}
