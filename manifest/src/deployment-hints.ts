/** Hints for the mistakes that people make in deployment files. @module */
import { interfaceViews } from './deployment-schema.ts'
import type { Keys } from './document/fault.ts'
import { decodeSs58 } from './ss58.ts'
import { suggest } from './document/suggest.ts'

/** A hint for a wrong `value` at `keys`; for a wrong name, the value is the name. */
export function deploymentHint(keys: Keys, value: unknown): string | undefined {
  const [field] = keys
  switch (String(field)) {
    case 'id':
      return typeof value === 'number' ? 'write a long or fractional id as a string' : undefined
    case 'origin':
      return keys[1] === 'source' ? sourceHint(value) : undefined
    case 'assignedProcessors':
      return keys.length === 2 && typeof value === 'string' ? ss58Fault(value) : undefined
    case 'environment':
      return environmentHint(keys, value)
    case 'keys':
      return typeof value === 'object' ? 'put them into a file of mode 0600' : undefined
    case 'interfaces':
      return interfacesHint(value)
    case 'policy':
      return value === '*' ? 'leave out policy.methods to allow every method' : undefined
    default:
      return numberHint(value)
  }
}

function sourceHint(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const digits = /^(?:0x)?([0-9a-f]*)$/i.exec(value)?.[1]
  return digits === undefined ? ss58Fault(value) : `it has ${digits.length} hex digits`
}

function ss58Fault(address: string): string | undefined {
  try {
    decodeSs58(address)
    return undefined
  } catch (error) {
    return error instanceof TypeError ? error.message : undefined
  }
}

function environmentHint(keys: Keys, value: unknown): string | undefined {
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  return keys.length === 2 && isScalar ? 'put it in double quotes' : undefined
}

function interfacesHint(value: unknown): string | undefined {
  const meant = typeof value === 'string' ? suggest(value, interfaceViews) : undefined
  return meant === undefined ? undefined : `did you mean ${meant}?`
}

/** A hint for a number; the fields that reach this are numbers, or objects, which get no hint. */
function numberHint(value: unknown): string | undefined {
  const isNumber = typeof value === 'string' && /^\d+$/.test(value)
  return isNumber ? 'write it without quotes' : undefined
}
