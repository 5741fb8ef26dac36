/** Reads a service's configuration file (TOML) by its schema. @module */
import { readFileSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import * as v from 'valibot'
import { foundInstead } from '../failure/index.ts'
import { ConfigError } from './config-error.ts'
import { positionOf } from './position.ts'

/** The known word that a mistyped one most likely means. */
export type Suggest = (word: string, known: readonly string[]) => string | undefined

/**
 * The settings of a file over the schema's defaults; the defaults alone without a file.
 * @throws ConfigError with a line for each mistake: `FILE:LINE:COLUMN: SETTING: EXPECTED, FOUND`
 */
export function readSettings<S extends v.GenericSchema>(
  schema: S,
  file: string | undefined,
  suggest: Suggest,
): v.InferOutput<S> {
  if (file === undefined) return v.parse(schema, {})
  const text = textOf(file)
  const result = v.safeParse(schema, parseToml(file, text))
  if (result.success) return result.output
  const lines = result.issues.map((issue) => {
    return `${file}${place(text, issue)}: ${describe(issue, schema, suggest)}`
  })
  throw new ConfigError(lines.join('\n'))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const found = foundInstead(cause)
    throw new ConfigError(`${file}: expected a configuration file, found ${found}`, { cause })
  }
}

function parseToml(file: string, text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    // The message goes on with the lines around.
    const [first = ''] = cause.message.split('\n')
    const what = first.replace(/^Invalid TOML document: /, '')
    const where = `${file}:${cause.line}:${cause.column}`
    throw new ConfigError(`${where}: expected TOML: ${what}`, { cause })
  }
}

function place(text: string, issue: v.BaseIssue<unknown>): string {
  const position = positionOf(text, issue.path?.map(({ key }) => String(key)) ?? [])
  return position === undefined ? '' : `:${position.line}:${position.column}`
}

function describe(issue: v.BaseIssue<unknown>, schema: object, suggest: Suggest): string {
  const setting = v.getDotPath(issue) ?? 'the file'
  if (issue.expected !== 'never') return `${setting}: ${issue.message}, found ${shown(issue)}`
  const path = issue.path?.map(({ key }) => String(key)) ?? []
  const known = settingsIn(schema, path.slice(0, -1))
  const meant = suggest(path.at(-1) ?? '', known)
  const remedy = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
  return `${setting}: there is no such setting (${remedy})`
}

/** The names of the settings in the table at a path. */
function settingsIn(schema: object, path: readonly string[]): string[] {
  const entries = entriesOf(schema)
  const [key, ...rest] = path
  if (key === undefined) return Object.keys(entries)
  return settingsIn(entries[key] ?? {}, rest)
}

/** The settings of a table's schema, also of an optional one. */
function entriesOf(schema: object): Record<string, object> {
  if ('entries' in schema) return schema.entries as Record<string, object>
  return 'wrapped' in schema ? entriesOf(schema.wrapped as object) : {}
}

function shown(issue: v.BaseIssue<unknown>): string {
  const found = issue.path ? issue.path.at(-1)?.value : issue.input
  return typeof found === 'number' ? String(found) : (JSON.stringify(found) ?? 'nothing')
}
