/**
 * Methods that no bridge has.
 * @module
 */
import type { Check } from '../check.ts'
import { requestText } from '../request.ts'
import { codes, expectError } from '../response.ts'
import { sections } from '../sections.ts'

const rows: readonly (readonly [id: string, method: string])[] = [
  ['method.unknown', 'conformance_nonsense'],
  ['method.empty', ''],
  ['method.case', 'Processor_Version'],
  ['method.blank', ' processor_version'],
  ['method.proto', '__proto__'],
  ['method.constructor', 'constructor'],
  ['method.to-string', 'toString'],
  ['method.rpc-nonsense', 'rpc.nonsense'],
  ['method.long', 'x'.repeat(10_000)],
]

/** Checks of unknown methods. */
export const unknownMethodChecks: readonly Check[] = rows.map(([id, method]) => ({
  id,
  section: sections.error,
  title: `there is no method ${JSON.stringify(method.length > 40 ? 'x…' : method)}: -32601`,
  run: async (bridge) =>
    expectError(await bridge.exchange([`${requestText(method)}\n`]), codes.methodNotFound, ['1']),
}))
