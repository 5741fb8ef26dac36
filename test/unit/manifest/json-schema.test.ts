import { toJsonSchema } from '@valibot/to-json-schema'
import type { JsonSchema, OverrideSchemaContext } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { format, resolveConfig } from 'prettier'
import { describe, expect, test } from 'vitest'
import { deploymentJsonSchema, manifestJsonSchema } from '@causeway/manifest'
import { DeploymentSchema } from '../../../manifest/src/deployment-schema.ts'
import { ManifestSchema } from '../../../manifest/src/manifest-schema.ts'
import { conforms } from './json-schema-check.ts'
import { fullDeployment, fullManifest } from './examples.ts'

const folder = new URL('../../../manifest/schemas/', import.meta.url)

async function published(name: string, schema: GenericSchema): Promise<string> {
  // Checks are code; what a JSON Schema can't say is left to the parser.
  const ignoreActions = ['check', 'partial_check']
  const jsonSchema = toJsonSchema(schema, {
    typeMode: 'input',
    ignoreActions,
    // A manifest may have fields that other hosts know.
    ...(name === 'deployment' && { overrideSchema: withoutOthers }),
  })
  const options = await resolveConfig(folder.pathname)
  return format(JSON.stringify(jsonSchema), { ...options, parser: 'json' })
}

/** An object of the deployment file has no other fields. */
function withoutOthers({ valibotSchema, jsonSchema }: OverrideSchemaContext): JsonSchema {
  return valibotSchema.type === 'object'
    ? { ...jsonSchema, additionalProperties: false }
    : jsonSchema
}

describe('published JSON Schemas', () => {
  test.each([
    ['manifest', ManifestSchema],
    ['deployment', DeploymentSchema],
  ])('%s.schema.json is current (else run with -u)', async (name, schema) => {
    const file = new URL(`${name}.schema.json`, folder).pathname
    await expect(await published(name, schema)).toMatchFileSnapshot(file)
  })

  const manifest = () => manifestJsonSchema() as JsonSchema
  const deployment = () => deploymentJsonSchema() as JsonSchema
  const { image } = fullManifest

  test.each([
    { what: 'a full manifest', schema: manifest, document: fullManifest, ok: true },
    {
      what: 'a number as version',
      schema: manifest,
      document: { ...fullManifest, version: 1 },
      ok: true,
    },
    { what: 'an unknown field', schema: manifest, document: { ...fullManifest, x: 1 }, ok: true },
    { what: 'an unknown field of a deployment', schema: deployment, document: { x: 1 }, ok: false },
    { what: 'no image', schema: manifest, document: { version: 1, entrypoint: 'x' }, ok: false },
    {
      what: 'a short hash',
      schema: manifest,
      document: { ...fullManifest, image: { ...image, sha256: 'ab' } },
      ok: false,
    },
    {
      what: 'an unknown policy',
      schema: manifest,
      document: { ...fullManifest, restartPolicy: 'maybe' },
      ok: false,
    },
    { what: 'a full deployment', schema: deployment, document: fullDeployment, ok: true },
    { what: 'an empty deployment', schema: deployment, document: {}, ok: true },
    { what: 'null for every field', schema: deployment, document: nulls(fullDeployment), ok: true },
    { what: 'a negative size', schema: deployment, document: { memory: -1 }, ok: false },
    {
      what: 'a number in the environment',
      schema: deployment,
      document: { environment: { A: 1 } },
      ok: false,
    },
    {
      what: 'a short key',
      schema: deployment,
      document: { assignedProcessors: { x: { p256: 'ab' } } },
      ok: false,
    },
  ])('$what: $ok', ({ schema, document, ok }) => {
    expect(conforms(schema(), document)).toBe(ok)
  })
})

function nulls(document: object): Record<string, null> {
  return Object.fromEntries(Object.keys(document).map((name) => [name, null]))
}
