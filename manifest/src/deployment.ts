/** Reads the deployment file and normalises it. @module */
import { dirname, resolve } from 'node:path'
import type * as v from 'valibot'
import { deploymentHint } from './deployment-hints.ts'
import { DeploymentSchema } from './deployment-schema.ts'
import type { Deployment, ProcessorPublicKeys, Schedule } from './deployment-model.ts'
import type { Keys } from './document/fault.ts'
import { readDocument, type ReadOptions } from './document/read-document.ts'
import { decodeSs58 } from './ss58.ts'

type Written = v.InferOutput<typeof DeploymentSchema>

/**
 * Reads the text of a deployment file. An unknown field is wrong: it may be a limit that would not be
 * there.
 * @param file its path; relative paths in it are taken from its folder, and messages begin with it
 * @returns the deployment, and one line for each variable without effect
 * @throws DocumentError naming every wrong field with its line, never an environment value
 */
export function parseDeployment(
  text: string,
  file: string,
  { isAccepted = false }: ReadOptions = {},
): { deployment: Deployment; warnings: readonly string[] } {
  const { value, warnings, place } = readDocument(text, file, {
    schema: DeploymentSchema,
    refuses: isAccepted ? 'nothing' : 'unknown',
    isSecret,
    hint: deploymentHint,
  })
  if (value.environment && 'BRIDGE_SOCKET' in value.environment) {
    const at = place(['environment', 'BRIDGE_SOCKET'])
    warnings.push(`${at}: environment.BRIDGE_SOCKET is ignored, the runtime always sets it`)
  }
  return { deployment: toDeployment(value, resolve(file)), warnings }
}

/** True for secrets: environment values, keys, and their path (someone may paste a key there). */
function isSecret(keys: Keys): boolean {
  const [field] = keys
  if (field === 'environment' || field === 'keys') return true
  return field === 'assignedProcessors' && keys.length > 2
}

function toDeployment(value: Written, file: string): Deployment {
  const fromFolder = (path: string) => resolve(dirname(file), path)
  return {
    file,
    ...present({ id: value.id, ipfsHash: value.ipfsHash }, String),
    ...present({ bundle: value.bundle, keys: value.keys }, fromFolder),
    origin: {
      ...present({ kind: value.origin?.kind }, String),
      ...present({ source: value.origin?.source }, sourceHex),
    },
    slot: value.slot ?? null,
    environment: value.environment ?? emptyRecord(),
    schedule: toSchedule(value.schedule ?? {}),
    memory: value.memory ?? 0,
    storage: value.storage ?? 0,
    networkRequests: value.networkRequests ?? 0,
    assignedProcessors: toProcessors(value.assignedProcessors ?? {}),
    interfaces: value.interfaces ?? 'host',
    policy: present({ methods: value.policy?.methods }, (methods) => methods),
  }
}

function toSchedule(written: Partial<NonNullable<Written['schedule']>>): Schedule {
  return {
    startTime: written.startTime ?? 0,
    endTime: written.endTime ?? 0,
    duration: written.duration ?? 0,
    interval: written.interval ?? 0,
    maxStartDelay: written.maxStartDelay ?? 0,
  }
}

function toProcessors(
  written: NonNullable<Written['assignedProcessors']>,
): Deployment['assignedProcessors'] {
  const processors = emptyRecord<ProcessorPublicKeys>()
  for (const [address, keys] of Object.entries(written)) {
    processors[address] = present(keys, plainHex)
  }
  return processors
}

function sourceHex(source: string): string {
  const isHex = /^(?:0x)?(?:[0-9a-f]{2})+$/i.test(source)
  return isHex ? plainHex(source) : Buffer.from(decodeSs58(source).publicKey).toString('hex')
}

function plainHex(hex: string): string {
  return hex.replace(/^0x/i, '').toLowerCase()
}

/** Converts the fields that are present; absent and null ones are left out. */
function present<Name extends string, From, To>(
  fields: { readonly [N in Name]?: From | null | undefined },
  convert: (value: From) => To,
): { [N in Name]?: To } {
  const kept: { [N in Name]?: To } = {}
  for (const [name, value] of Object.entries<From | null | undefined>(fields)) {
    if (value !== undefined && value !== null) kept[name as Name] = convert(value)
  }
  return kept
}

function emptyRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}
