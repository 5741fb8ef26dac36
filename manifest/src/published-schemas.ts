/**
 * The JSON Schemas for editors and other tools, published in `manifest/schemas/`. They come from
 * the valibot schemas; the unit tests fail when a file is outdated, and `-u` writes it.
 * @module
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** JSON Schema (draft 7) of `manifest.json`: `manifest/schemas/manifest.schema.json`. */
export function manifestJsonSchema(): Readonly<Record<string, unknown>> {
  return readSchema('manifest')
}

/** JSON Schema (draft 7) of a deployment file: `manifest/schemas/deployment.schema.json`. */
export function deploymentJsonSchema(): Readonly<Record<string, unknown>> {
  return readSchema('deployment')
}

function readSchema(name: string): Readonly<Record<string, unknown>> {
  const file = createRequire(import.meta.url).resolve('@causeway/manifest/package.json')
  const schema = join(dirname(file), 'schemas', `${name}.schema.json`)
  return JSON.parse(readFileSync(schema, 'utf8')) as Record<string, unknown>
}
