/**
 * `rpc.discover`: the bridge's own description.
 * @module
 */
import { isNotServed, resultOfCall } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { CheckFailed, expectThat, shown } from '../outcome.ts'
import { requestText } from '../request.ts'
import { codes, isObject, responseOf } from '../response.ts'
import { sections } from '../sections.ts'

// Other families are not called: a bridge that accepts any params would carry the call out.
const changeNothing = /^(?:(?:processor|deployment|signer)_|rpc\.discover$)/

/** Every listed method that a check may safely call must be as the document lists it. */
async function checkDiscover(bridge: Bridge): Promise<void> {
  const document = await resultOfCall(bridge, 'rpc.discover')
  const { openrpc, info, methods } = document
  expectThat(/^\d+\.\d+\.\d+$/.test(String(openrpc)), 'openrpc: a version', openrpc)
  const hasInfo = isObject(info) && typeof info['title'] === 'string' && 'version' in info
  expectThat(hasInfo, 'info: title and version', info)
  expectThat(Array.isArray(methods) && methods.length > 0, 'methods: a list', methods)
  for (const method of methods as unknown[]) {
    if (!isObject(method) || typeof method['name'] !== 'string') {
      throw new CheckFailed('a method with a name', shown(method))
    }
    if (changeNothing.test(method['name'])) await expectListed(bridge, method)
  }
}

/** A method listed as available must exist; one listed as unavailable must be refused. */
async function expectListed(bridge: Bridge, method: Record<string, unknown>): Promise<void> {
  const { name, 'x-availability': availability } = method
  const { error } = responseOf(await bridge.exchange([`${requestText(String(name), '[0]')}\n`]))
  if (isObject(availability) && availability['available'] === false) {
    expectThat(error !== undefined && isNotServed(error), `${String(name)} refused`, error)
  } else {
    expectThat(error?.code !== codes.methodNotFound, `${String(name)} as it is listed`, error)
  }
}

/** Checks of the description. */
export const discoverChecks: readonly Check[] = [
  {
    id: 'discover.document',
    section: sections.extensions,
    title: 'rpc.discover gives an OpenRPC document; the methods it lists that change nothing exist',
    profile: 'causeway',
    run: checkDiscover,
  },
]
