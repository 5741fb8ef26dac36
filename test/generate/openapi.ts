/**
 * `runtime/docs/openapi.json`: the control API as an OpenAPI 3.1 document.
 * @module
 */
import { toJsonSchema, toJsonSchemaDefs, type ConversionConfig } from '@valibot/to-json-schema'
import * as v from 'valibot'
import {
  deploymentDetail,
  deploymentSummary,
  errorBody,
  errorKinds,
  eventLine,
  jobExit,
  logEntry,
  networkView,
  pastExecution,
  protocol,
  runningExecution,
  status,
  type ErrorStatus,
  type RequestName,
} from '../../runtime/src/control/protocol.ts'

/** Schemas that have a name in the document. */
const definitions = {
  Status: status,
  DeploymentSummary: deploymentSummary,
  DeploymentDetail: deploymentDetail,
  RunningExecution: runningExecution,
  PastExecution: pastExecution,
  JobExit: jobExit,
  LogEntry: logEntry,
  EventLine: eventLine,
  NetworkView: networkView,
  Error: errorBody,
}
const config: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  // It means something to TypeScript alone.
  ignoreActions: ['readonly'],
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
}
// What no request can rule out.
const everyStatus: readonly ErrorStatus[] = [400, 405, 408, 413, 500, 503]

export function openApiDocument() {
  const names = Object.keys(protocol) as RequestName[]
  const paths = [...new Set(names.map(pathOf))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Causeway control API',
      version: '1',
      description:
        'HTTP/1.1 and JSON on the Unix socket `control.sock` in the state folder of a daemon, for its user only.',
    },
    servers: [{ url: 'http://causeway' }],
    paths: Object.fromEntries(
      paths.map((path) => [path, operationsOf(names.filter((name) => pathOf(name) === path))]),
    ),
    components: {
      schemas: toJsonSchemaDefs(definitions, config),
      responses: Object.fromEntries(Object.entries(errorKinds).map(refusal)),
    },
  }
}

function pathOf(name: string): string {
  return (name.split(' ')[1] ?? '').replace(':id', '{id}')
}

function operationsOf(names: readonly RequestName[]) {
  const named = names.map((name) => [name.split(' ')[0]?.toLowerCase(), operation(name)] as const)
  return Object.fromEntries(named) as Record<string, object>
}

function operation(name: RequestName) {
  const { summary, params, query, body, answer, streams, errors } = protocol[name]
  const media = streams ? 'application/x-ndjson' : 'application/json'
  const refused = [...everyStatus, ...errors].toSorted((a, b) => a - b)
  return {
    summary,
    parameters: [...parameters('path', params), ...parameters('query', query)],
    ...(Object.keys(body.entries).length > 0 && {
      requestBody: { required: !v.is(body, {}), ...content('application/json', body) },
    }),
    responses: {
      200: { description: streams ? 'One document a line.' : 'Done.', ...content(media, answer) },
      ...Object.fromEntries(
        refused.map((code) => [code, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  }
}

function content(media: string, schema: v.GenericSchema) {
  return { content: { [media]: { schema: schemaOf(schema) } } }
}

function refusal([code, kinds]: [string, readonly string[]]) {
  return [code, { description: kinds.join(', '), ...content('application/json', errorBody) }]
}

function parameters(place: 'path' | 'query', { entries }: { entries: v.ObjectEntries }) {
  return Object.entries(entries).map(([name, entry]) => {
    const { description, ...schema } = schemaOf(entry as v.GenericSchema)
    return { name, in: place, required: place === 'path', description, schema }
  })
}

function schemaOf(schema: v.GenericSchema) {
  const { $schema: _, $defs: __, ...rest } = toJsonSchema(schema, { ...config, definitions })
  return rest
}
