/**
 * Method calls for checks of methods, not of bytes.
 * @module
 */
import type { Bridge } from './check.ts'
import { CheckFailed, CheckSkipped, shown } from './outcome.ts'
import { requestText } from './request.ts'
import { codes, isObject, responseOf, type ErrorObject } from './response.ts'

/** Error kinds of a method that is not served to this caller or on this host. */
const notServedKinds: readonly unknown[] = ['PERMISSION_DENIED', 'BROWSER_UNAVAILABLE']

/** Result or error of a call. */
export type Outcome = { result: unknown } | { error: ErrorObject }

/**
 * Calls with these params as elements of the array.
 * @throws CheckSkipped when the bridge does not serve the method
 */
export async function call(
  bridge: Bridge,
  method: string,
  ...params: readonly unknown[]
): Promise<Outcome> {
  const line = `${requestText(method, JSON.stringify(params))}\n`
  const { result, error } = responseOf(await bridge.exchange([line]))
  if (!error) return { result }
  if (method !== 'processor_version' && isNotServed(error)) {
    throw new CheckSkipped(`${method} is not served: ${error.message} (${error.code})`)
  }
  return { error }
}

/** Makes a call that must succeed; resolves with its result. */
export async function resultOfCall(
  bridge: Bridge,
  method: string,
  ...params: readonly unknown[]
): Promise<Record<string, unknown>> {
  const outcome = await call(bridge, method, ...params)
  if ('result' in outcome && isObject(outcome.result)) return outcome.result
  throw new CheckFailed(`a result object of ${method}`, shown(outcome))
}

/** Makes a call that must fail with the code; resolves with its error. */
export async function refusalOfCall(
  bridge: Bridge,
  code: number,
  method: string,
  ...params: readonly unknown[]
): Promise<ErrorObject> {
  const outcome = await call(bridge, method, ...params)
  if ('error' in outcome && outcome.error.code === code) return outcome.error
  throw new CheckFailed(`${method} refused with ${code}`, shown(outcome))
}

/** Whether the error says that this caller does not have the method. */
export function isNotServed({ code, data }: ErrorObject): boolean {
  return code === codes.methodNotFound || notServedKinds.includes(data?.['kind'])
}
