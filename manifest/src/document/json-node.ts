/** The document as a tree of values, each with its place in the text. @module */
import type { Node } from 'jsonc-parser'
import type { Fault, Keys } from './fault.ts'
import { quoteName } from './names.ts'

/** One value of the document. */
export interface JsonNode {
  kind: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'
  /** Start of the value in the text. */
  offset: number
  /** A scalar as written in the text; empty for objects and arrays. */
  literal: string
  /** The plain value; objects have no prototype, so `__proto__` is a name like any other. */
  value: unknown
  /** Members of an object by name; the last one of a repeated name. Empty for other kinds. */
  members: ReadonlyMap<string, JsonMember>
  /** Items of an array. Empty for other kinds. */
  items: readonly JsonNode[]
}

/** One member of an object. */
export interface JsonMember {
  /** Start of the name, at its quote. */
  nameOffset: number
  node: JsonNode
}

/** A name that occurs twice in one object, found while the tree is built. */
export interface Duplicate {
  keys: Keys
  nameOffset: number
  firstOffset: number
}

/** The text of a tree, and what else building it collects. */
export interface TreeContext {
  text: string
  /** Repeated names found so far. */
  duplicates: Duplicate[]
}

/** Builds the tree from a complete syntax tree of `context.text`. */
export function toJsonNode(source: Node, context: TreeContext, keys: Keys = []): JsonNode {
  if (source.type === 'object') return objectNode(source, context, keys)
  if (source.type === 'array') return arrayNode(source, context, keys)
  const kind = source.type === 'property' ? 'null' : source.type
  const { offset, length } = source
  const value: unknown = source.value
  const literal = context.text.slice(offset, offset + length)
  return { kind, offset, literal, value, members: new Map(), items: [] }
}

function arrayNode(source: Node, context: TreeContext, keys: Keys): JsonNode {
  const children = source.children ?? []
  const items = children.map((child, index) => toJsonNode(child, context, [...keys, index]))
  const value = items.map((item) => item.value)
  return { kind: 'array', offset: source.offset, literal: '', value, members: new Map(), items }
}

function objectNode(source: Node, context: TreeContext, keys: Keys): JsonNode {
  const members = new Map<string, JsonMember>()
  for (const property of source.children ?? []) addMember(members, property, context, keys)
  const value = Object.create(null) as Record<string, unknown>
  for (const [name, member] of members) value[name] = member.node.value
  return { kind: 'object', offset: source.offset, literal: '', value, members, items: [] }
}

function addMember(
  members: Map<string, JsonMember>,
  property: Node,
  context: TreeContext,
  keys: Keys,
): void {
  const [nameNode, valueNode] = property.children ?? []
  if (nameNode === undefined || valueNode === undefined) return
  const name = String(nameNode.value)
  const path = [...keys, name]
  const { offset: nameOffset } = nameNode
  const first = members.get(name)
  if (first) context.duplicates.push({ keys: path, nameOffset, firstOffset: first.nameOffset })
  const node = toJsonNode(valueNode, context, path)
  // Keep the first offset: a third occurrence is reported with the first one's line, too.
  members.set(name, { nameOffset: first?.nameOffset ?? nameOffset, node })
}

/** The fault of a repeated name, with the lines of both. */
export function duplicateFault(duplicate: Duplicate, firstLine: number): Fault {
  const name = quoteName(String(duplicate.keys.at(-1)))
  const found = `a second ${name} (the first is on line ${firstLine})`
  return { keys: duplicate.keys, offset: duplicate.nameOffset, found, expected: 'it only once' }
}

/** The value at the end of `keys`, or undefined when the document has none there. */
export function nodeAt(root: JsonNode, keys: Keys): JsonNode | undefined {
  let node: JsonNode | undefined = root
  for (const key of keys) node = childAt(node, key)
  return node
}

function childAt(node: JsonNode | undefined, key: string | number): JsonNode | undefined {
  return typeof key === 'number' ? node?.items[key] : node?.members.get(key)?.node
}

/** Offset of the name of the member at the end of `keys`; 0 when there is no such member. */
export function nameOffset(root: JsonNode, keys: Keys): number {
  return nodeAt(root, keys.slice(0, -1))?.members.get(String(keys.at(-1)))?.nameOffset ?? 0
}
