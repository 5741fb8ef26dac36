/** The two object schemas of a document, strict where valibot's own are lenient. @module */
import * as v from 'valibot'

/** A schema's message says what is expected, as a noun phrase. */
type Expected = v.ErrorMessage<v.BaseIssue<unknown>>

/**
 * An object with known members; the output omits others (the caller warns of them). Unlike
 * `v.object` it refuses arrays, and reports a missing member with that member's phrase.
 */
export function jsonObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.ObjectSchema<Entries, Expected> {
  const schema: v.ObjectSchema<Entries, Expected> = v.object(entries, (issue) => {
    const missing = issue.path?.[0]?.key
    return typeof missing === 'string' ? phraseOf(entries[missing]) : objectPhrase(entries)
  })
  return { ...schema, '~run': (dataset, config) => schema['~run'](withoutArray(dataset), config) }
}

type JsonRecord<Value extends v.GenericSchema> = v.RecordSchema<
  v.GenericSchema<string>,
  Value,
  'an object'
>

/**
 * An object with free names, as a null-prototype record. Unlike `v.record` it refuses arrays, and
 * checks `__proto__`, `prototype` and `constructor` like other names instead of dropping them.
 */
export function jsonRecord<const Value extends v.GenericSchema>(
  key: v.GenericSchema<string>,
  value: Value,
): JsonRecord<Value> {
  const schema: JsonRecord<Value> = v.record(key, value, 'an object')
  return {
    ...schema,
    '~run': (dataset, config) =>
      isJsonObject(dataset.value)
        ? runRecord(schema, dataset.value)
        : schema['~run'](withoutArray(dataset), config),
  }
}

/** Whether `value` is what JSON calls an object. */
function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Valibot accepts arrays as objects; `undefined` makes it report its own type issue instead. */
function withoutArray(dataset: v.UnknownDataset): v.UnknownDataset {
  return Array.isArray(dataset.value) ? { value: undefined } : dataset
}

type RecordResult<Value extends v.GenericSchema> = ReturnType<JsonRecord<Value>['~run']>

function runRecord<Value extends v.GenericSchema>(
  { key, value }: JsonRecord<Value>,
  input: Record<string, unknown>,
): RecordResult<Value> {
  const output = Object.create(null) as Record<string, v.InferOutput<Value>>
  const issues: v.BaseIssue<unknown>[] = []
  for (const [name, entry] of Object.entries(input)) {
    const pathItem = { type: 'object', input, key: name, value: entry } as const
    const named = v.safeParse(key, name)
    const parsed = v.safeParse(value, entry)
    issues.push(...within({ ...pathItem, origin: 'key' }, named.issues))
    issues.push(...within({ ...pathItem, origin: 'value' }, parsed.issues))
    if (parsed.success) output[name] = parsed.output
  }
  const [first, ...others] = issues
  const dataset = first
    ? { typed: false, value: output, issues: [first, ...others] }
    : { typed: true, value: output }
  return dataset as RecordResult<Value>
}

/** The issues of one entry, with the entry's name in front of their paths. */
function within(
  pathItem: v.ObjectPathItem,
  issues: readonly v.BaseIssue<unknown>[] = [],
): v.BaseIssue<unknown>[] {
  return issues.map((issue) => ({ ...issue, path: [pathItem, ...(issue.path ?? [])] }))
}

/** The noun phrase that a schema's message uses when the value is missing. */
function phraseOf(schema: v.GenericSchema | undefined): string {
  if (schema && 'entries' in schema) return objectPhrase(schema.entries as v.ObjectEntries)
  if (schema && 'message' in schema && typeof schema.message === 'string') return schema.message
  return 'a value'
}

function objectPhrase(entries: v.ObjectEntries): string {
  const required = Object.keys(entries).filter((name) => entries[name]?.type !== 'nullish')
  return required.length === 0 ? 'an object' : `an object with ${required.join(' and ')}`
}
