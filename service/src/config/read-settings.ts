/** Reads a service's configuration file (TOML) by its schema. @module */
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import * as v from 'valibot'
import { positionOf } from './position.ts'

/**
 * The settings of a file over the schema's defaults; the defaults alone without a file.
 * @throws Error with a line for each mistake: `FILE:LINE:COLUMN: SETTING: EXPECTED, FOUND`
 */
export function readSettings<S extends v.GenericSchema>(
  schema: S,
  file: string | undefined,
): v.InferOutput<S> {
  if (file === undefined) return v.parse(schema, {})
  const text = readFileSync(file, 'utf8')
  const result = v.safeParse(schema, parseToml(file, text))
  if (result.success) return result.output
  const lines = result.issues.map((issue) => `${file}${place(text, issue)}: ${describe(issue)}`)
  throw new Error(lines.join('\n'))
}

/** smol-toml's own messages name line and column. */
function parseToml(file: string, text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}`, { cause })
  }
}

function place(text: string, issue: v.BaseIssue<unknown>): string {
  const position = positionOf(text, issue.path?.map(({ key }) => String(key)) ?? [])
  return position === undefined ? '' : `:${position.line}:${position.column}`
}

function describe(issue: v.BaseIssue<unknown>): string {
  const setting = v.getDotPath(issue) ?? 'the file'
  return issue.expected === 'never'
    ? `${setting}: there is no such setting`
    : `${setting}: ${issue.message}, found ${shown(issue)}`
}

function shown(issue: v.BaseIssue<unknown>): string {
  const found = issue.path ? issue.path.at(-1)?.value : issue.input
  return typeof found === 'number' ? String(found) : (JSON.stringify(found) ?? 'nothing')
}
