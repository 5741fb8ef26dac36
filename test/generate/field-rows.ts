/**
 * Turns a JSON Schema of an object into one row per field, nested fields by their path.
 * @module
 */
import type { JsonSchema } from '@causeway/guest-sdk/protocol'

/** One field of params or of a result. */
export interface FieldRow {
  /** A path such as `origin.kind`, `methods[].name` or `processors.<name>.p256`. */
  path: string
  type: string
  required: boolean
  meaning: string
}

interface Node {
  title?: string
  type?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Node[]
  items?: Node
  properties?: Record<string, Node>
  required?: string[]
  additionalProperties?: Node | boolean
}

export function fieldRows(schema: JsonSchema): FieldRow[] {
  return rowsOf(schema as Node, '')
}

function rowsOf({ properties = {}, required = [] }: Node, prefix: string): FieldRow[] {
  return Object.entries(properties).flatMap(([name, node]) => {
    const path = `${prefix}${name}`
    const meaning = node.description ?? ''
    const row = { path, type: typeText(node), required: required.includes(name), meaning }
    return [row, ...rowsBelow(node, path)]
  })
}

function rowsBelow(node: Node, path: string): FieldRow[] {
  if (node.items) return rowsOf(node.items, `${path}[].`)
  const { additionalProperties: values } = node
  if (typeof values === 'object') return rowsOf(values, `${path}.<name>.`)
  return rowsOf(node, `${path}.`)
}

function typeText(node: Node): string {
  if (node.title !== undefined) return node.title
  if (node.const !== undefined) return literal(node.const)
  if (node.enum) return node.enum.map(literal).join(' or ')
  if (node.anyOf) return node.anyOf.map(typeText).join(' or ')
  if (node.items) return `array of ${typeText(node.items)}`
  return node.type ?? 'any'
}

function literal(value: unknown): string {
  return `\`${JSON.stringify(value)}\``
}
