import type { JsonSchema } from '@valibot/to-json-schema'

type Check = (wanted: never, value: unknown, schema: JsonSchema) => boolean

/**
 * Whether `value` holds to `schema`, for the keywords our schemas use (JSON Schema draft 7).
 * @throws Error for any other keyword, so that a test never passes because one was skipped
 */
export function conforms(schema: JsonSchema, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, wanted]) => {
    const check = checks[keyword]
    if (check === undefined) throw new Error(`this checker does not know the keyword ${keyword}`)
    return check(wanted as never, value, schema)
  })
}

const always: Check = () => true

const checks: Record<string, Check> = {
  $schema: always,
  title: always,
  description: always,
  format: always,
  type: (type: string | string[], value) => [type].flat().some((name) => isOfType(name, value)),
  anyOf: (options: JsonSchema[], value) => options.some((option) => conforms(option, value)),
  enum: (options: unknown[], value) => options.includes(value),
  pattern: (pattern: string, value) =>
    typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  minLength: (length: number, value) => typeof value !== 'string' || value.length >= length,
  maxLength: (length: number, value) => typeof value !== 'string' || value.length <= length,
  minimum: (limit: number, value) => typeof value !== 'number' || value >= limit,
  maximum: (limit: number, value) => typeof value !== 'number' || value <= limit,
  items: (item: JsonSchema, value) =>
    !Array.isArray(value) || value.every((v) => conforms(item, v)),
  required: (names: string[], value) => names.every((name) => members(value).has(name)),
  properties: (properties: Record<string, JsonSchema>, value) =>
    [...members(value)].every(([name, member]) => conforms(properties[name] ?? {}, member)),
  propertyNames: (names: JsonSchema, value) =>
    [...members(value).keys()].every((name) => conforms(names, name)),
  additionalProperties: (others: JsonSchema | false, value, { properties = {} }) =>
    [...members(value)].every(
      ([name, member]) => name in properties || (others !== false && conforms(others, member)),
    ),
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type !== 'object') return typeof value === type
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function members(value: unknown): Map<string, unknown> {
  return new Map(isOfType('object', value) ? Object.entries(value as object) : [])
}
