/**
 * The JSON Schemas for editors and other tools, published in `manifest/schemas/`. They come from
 * the valibot schemas; the unit tests fail when a file is outdated, and `-u` writes it.
 * @module
 */
import { readFileSync } from 'node:fs'

/** JSON Schema (draft 7) of `manifest.json`: `manifest/schemas/manifest.schema.json`. */
export function manifestJsonSchema(): Readonly<Record<string, unknown>> {
  return readSchema('manifest')
}

/** JSON Schema (draft 7) of a deployment file: `manifest/schemas/deployment.schema.json`. */
export function deploymentJsonSchema(): Readonly<Record<string, unknown>> {
  return readSchema('deployment')
}

function readSchema(name: string): Readonly<Record<string, unknown>> {
  // The same relative path from src and from dist.
  const file = new URL(`../schemas/${name}.schema.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
}
