/**
 * Params of methods that take an object.
 * @module
 */
import { refusalOfCall, resultOfCall } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { expectThat } from '../outcome.ts'
import { requestText } from '../request.ts'
import { codes, isObject, responseOf } from '../response.ts'
import { sections } from '../sections.ts'

const curve = 'p256'

/** `signer_publicKey` takes an object; these are other ways to write it. */
async function expectKey(bridge: Bridge, params: string): Promise<void> {
  const { publicKey } = await resultOfCall(bridge, 'signer_publicKey', { curve })
  const line = `${requestText('signer_publicKey', params)}\n`
  const { result, text } = responseOf(await bridge.exchange([line]))
  expectThat(isObject(result) && result['publicKey'] === publicKey, String(publicKey), text)
}

const objectParams: readonly (readonly [id: string, title: string, params: string])[] = [
  ['params.object-alone', 'an object is accepted instead of an array with it', '{"curve":"p256"}'],
  [
    'params.extra-field',
    'fields that the method does not know are ignored',
    '[{"curve":"p256","x":[1]}]',
  ],
  ['params.extra-behind', 'elements after the object are ignored', '[{"curve":"p256"},{"x":1}]'],
  [
    'params.null-field',
    'null for an optional field means absent',
    '[{"curve":"p256","derivationPath":null}]',
  ],
]

const missingParams: readonly (readonly [id: string, title: string, params: unknown[]])[] = [
  ['params.missing', 'no object where one is required: -32602', []],
  ['params.wrong-type', 'a string where an object is required: -32602', ['p256']],
  ['params.nested', 'an array where an object is required: -32602', [[{ curve }]]],
]

/** Checks of an object as params. */
export const objectParamsChecks: readonly Check[] = [
  ...objectParams.map(([id, title, params]): Check => ({
    id,
    section: sections.params,
    title,
    profile: 'causeway',
    run: (bridge) => expectKey(bridge, params),
  })),
  ...missingParams.map(([id, title, params]): Check => ({
    id,
    section: sections.error,
    title,
    run: async (bridge) =>
      void (await refusalOfCall(bridge, codes.invalidParams, 'signer_publicKey', ...params)),
  })),
]
