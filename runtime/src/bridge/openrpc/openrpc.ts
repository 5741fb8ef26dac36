/** Turns the method table into an OpenRPC 1.3 document, with JSON Schemas of draft 7. @module */
import {
  errorCodes,
  errorFacts,
  methodFacts,
  type ContentDescriptor,
  type DiscoveredError,
  type DiscoveredNetwork,
  type ErrorDescription,
  type ErrorKind,
  type JsonSchema,
  type MethodDescription,
  type MethodName,
  type OpenRpcDocument,
} from '@causeway/guest-sdk/protocol'
import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { methodTable } from '../methods.ts'

/** Facts about the host in the document. */
export interface HostFacts {
  /** Bridge level. */
  level: string
  signer?: 'native' | 'portable'
  network?: DiscoveredNetwork
}

/** The document of a host; methods are in the table's order. */
export function openRpcDocument<M extends MethodDescription>(
  { level, signer, network }: HostFacts,
  methods: M[],
): OpenRpcDocument<M> {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Causeway bridge',
      version: level,
      ...(signer && { 'x-signer': signer }),
      ...(network && { 'x-network': network }),
    },
    methods,
    'x-errors': Object.fromEntries(errorKinds.map((kind) => [kind, describeError(kind)])),
  }
}

/** Describes one method; the same for every caller. */
export function describeMethod(name: MethodName): MethodDescription {
  const { summary, params, result, class: methodClass } = methodTable[name]
  const { since, platform } = methodFacts[name]
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: describeParams(params),
    result: { name: 'result', schema: jsonSchema(result) },
    errors: describeErrors(ownErrors(name)),
    'x-since': since,
    'x-platform': platform,
    'x-class': methodClass,
  }
}

/** Error kinds of a method beyond those of every call. */
export function ownErrors(name: MethodName): ErrorKind[] {
  const { params, errors } = methodTable[name]
  return items(params).length === 0 ? [...errors] : ['INVALID_PARAMS', ...errors]
}

const errorKinds = Object.keys(errorCodes) as ErrorKind[]

function describeError(kind: ErrorKind): ErrorDescription {
  const { when, retry } = errorFacts[kind]
  return { code: errorCodes[kind], description: when, retry }
}

/** OpenRPC requires one entry per code. */
function describeErrors(kinds: readonly ErrorKind[]): DiscoveredError[] {
  const codes = [...new Set(kinds.map((kind) => errorCodes[kind]))]
  return codes.map((code) => {
    const same = kinds.filter((kind) => errorCodes[kind] === code)
    return { code, message: same.join(', '), data: { kinds: same } }
  })
}

function describeParams(params: v.GenericSchema): ContentDescriptor[] {
  return items(params).map((schema) => ({
    name: 'params',
    required: true,
    schema: jsonSchema(schema),
  }))
}

/** The elements of a row's params, which are always a tuple. */
function items(params: v.GenericSchema): v.GenericSchema[] {
  return (params as unknown as { items: v.GenericSchema[] }).items
}

function jsonSchema(schema: v.GenericSchema): JsonSchema {
  // Without `$schema`: OpenRPC's specification defines the draft.
  const { $schema: _, ...rest } = toJsonSchema(schema)
  return rest
}
