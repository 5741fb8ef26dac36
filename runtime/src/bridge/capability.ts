/**
 * The seam between the bridge and what it offers: a capability brings handlers, facts and an end.
 * @module
 */
import type { MethodName } from '@causeway/guest-sdk/protocol'
import { methodTable, type Handlers } from './methods.ts'
import type { HostFacts } from './openrpc/openrpc.ts'

/** One family of a deployment's methods, `N` its wire names. */
export interface Capability<N extends MethodName = MethodName> {
  readonly handlers: Handlers<N>
  /** What `rpc.discover` says of it. */
  readonly facts?: Omit<HostFacts, 'level'>
  /**
   * Ends all that goes on: called once, when the socket is closed. Resolves when nothing of it can
   * act any more.
   */
  readonly close?: () => Promise<void>
}

/** Any capability: one of no methods takes them all. */
type AnyCapability = Capability<never>
type NamesOf<C> = C extends Capability<infer N> ? N : never

/**
 * The handlers of all capabilities as one table; one that lacks a method of the method table does
 * not compile where the whole table is expected.
 * @throws TypeError when two capabilities serve the same method, or one serves an unknown method
 */
export function handlersOf<const C extends readonly AnyCapability[]>(
  capabilities: C,
): Handlers<NamesOf<C[number]>> {
  const entries = capabilities.flatMap(({ handlers }) => Object.entries(handlers))
  const names = entries.map(([name]) => name)
  for (const [index, name] of names.entries()) {
    if (!Object.hasOwn(methodTable, name)) throw new TypeError(`${name} is not in the method table`)
    if (names.indexOf(name) !== index) throw new TypeError(`two capabilities serve ${name}`)
  }
  return Object.fromEntries(entries) as Handlers<NamesOf<C[number]>>
}

/** Ends all capabilities, the last first; resolves when all have ended. */
export async function closeAll(capabilities: readonly AnyCapability[]): Promise<void> {
  await Promise.all(capabilities.toReversed().flatMap(({ close }) => close?.() ?? []))
}
