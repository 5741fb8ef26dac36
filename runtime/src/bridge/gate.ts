/** Decides which methods a bridge serves to its deployment, by bridge level and policy. @module */
import { methodFacts, type MethodAvailability, type MethodName } from '@causeway/guest-sdk/protocol'
import { RpcError } from './errors.ts'
import { compareLevels } from './level.ts'
import { isMethodName, methodTable } from './methods.ts'

/** Every wire name. */
export const methodNames = Object.keys(methodTable) as MethodName[]

/** Restrictions on the methods of one deployment's bridge. */
export interface GateOptions {
  /** Bridge level, `major.minor.patch`. */
  level: string
  /** Allowed wire names and `family_*` patterns; absent allows all. */
  allowedMethods?: readonly string[]
}

/** Resolves a wire name to a method that may be called. @throws RpcError otherwise */
export type Gate = (method: string) => MethodName

/** Why a method of the table is not served. */
interface Refusal {
  reason: NonNullable<MethodAvailability['reason']>
  error: RpcError
}

/** Creates the gate of one deployment; it decides once per method, not per call. */
export function createGate(options: GateOptions): Gate {
  const refusals = new Map(methodNames.map((name) => [name, refusalOf(name, options)]))
  return (method) => {
    if (!isMethodName(method)) throw unknownMethod(method)
    const refusal = refusals.get(method)
    if (refusal) throw refusal.error
    return method
  }
}

/** The gate's decision, without a call. */
export function availability(name: MethodName, options: GateOptions): MethodAvailability {
  const refusal = refusalOf(name, options)
  if (!refusal) return { available: true }
  return { available: false, reason: refusal.reason, message: refusal.error.message }
}

function refusalOf(name: MethodName, { level, allowedMethods }: GateOptions): Refusal | undefined {
  return versionRefusal(name, level) ?? policyRefusal(name, allowedMethods)
}

/** Patterns of a policy that match no method of the table. */
export function unknownPatterns(allowedMethods: readonly string[]): string[] {
  return allowedMethods.filter((pattern) => !methodNames.some((name) => matches(pattern, name)))
}

function versionRefusal(name: MethodName, level: string): Refusal | undefined {
  const { since } = methodFacts[name]
  if (compareLevels(level, since) >= 0) return undefined
  const reason = 'version'
  const message = `${name} needs bridge level ${since}, this host has ${level}`
  const error = new RpcError('METHOD_NOT_FOUND', message, { details: { since, reason } })
  return { reason, error }
}

function policyRefusal(
  name: MethodName,
  allowedMethods: readonly string[] | undefined,
): Refusal | undefined {
  // JSON-RPC reserves `rpc.*` for extensions; policies grant capabilities only.
  if (!allowedMethods || name.startsWith('rpc.')) return undefined
  if (allowedMethods.some((pattern) => matches(pattern, name))) return undefined
  const error = new RpcError('PERMISSION_DENIED', `${name} is not granted to this deployment`, {
    hint: "the operator grants methods in the deployment's policy.methods",
  })
  return { reason: 'policy', error }
}

function unknownMethod(method: string): RpcError {
  return new RpcError(
    'METHOD_NOT_FOUND',
    `there is no method ${JSON.stringify(method.slice(0, 80))}`,
  )
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
