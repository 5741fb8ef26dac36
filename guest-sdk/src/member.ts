import { BridgeProtocolError } from './errors.ts'

/**
 * Reads a member that every result of a method has.
 * @throws BridgeProtocolError when it is missing.
 */
export function member<R extends object, N extends keyof R & string>(result: R, name: N): R[N] {
  if (result[name] !== undefined) return result[name]
  throw new BridgeProtocolError(`expected ${name} in the result, found nothing`)
}
