/**
 * The contract of a capability, which serves one family of methods: handlers, facts and a close.
 * @module
 */
import type { MethodName } from '@causeway/guest-sdk/protocol'
import { methodTable, type Handlers } from './methods.ts'
import type { HostFacts } from './openrpc/openrpc.ts'

/** One family of a deployment's methods; `N` are its wire names. */
export interface Capability<N extends MethodName = MethodName> {
  readonly handlers: Handlers<N>
  /** Facts about the capability for `rpc.discover`. */
  readonly facts?: Omit<HostFacts, 'level'>
  /**
   * Ends the capability's work; called once, when the socket is closed. Resolves when nothing of
   * the capability can act any more.
   */
  readonly close?: () => Promise<void>
}

/** Any capability; a capability without methods accepts all others. */
type AnyCapability = Capability<never>
type NamesOf<C> = C extends Capability<infer N> ? N : never

/**
 * Combines the handlers of all capabilities. Where the whole table is expected, a missing method
 * does not compile.
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

/**
 * Closes all capabilities, the last one first, whatever one of them throws; settles when all are closed.
 * @throws the first error
 */
export async function closeAll(capabilities: readonly AnyCapability[]): Promise<void> {
  const ends = capabilities.toReversed().map(async ({ close }) => close?.())
  for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason
}
