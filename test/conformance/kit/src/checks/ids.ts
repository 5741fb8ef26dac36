/**
 * Ids: echoed with type and value, refused when invalid, absent in notifications.
 * @module
 */
import type { Bridge, Check } from '../check.ts'
import { CheckFailed, expectThat, shown } from '../outcome.ts'
import { requestText } from '../request.ts'
import { codes, expectError, responseOf } from '../response.ts'
import { sections } from '../sections.ts'
import { expectAlive } from './version-answer.ts'

/** The id as JSON text. */
const echoed: readonly (readonly [id: string, what: string, text: string])[] = [
  ['id.string', 'a string', '"abc"'],
  ['id.empty', 'an empty string', '""'],
  ['id.digits', 'a string of digits', '"42"'],
  ['id.unicode', 'a string with characters beyond ASCII', '"é€😀"'],
  ['id.escaped', 'a string with escapes', '"\\u0041\\n\\t\\"\\\\\\/\\u00e9"'],
  ['id.integer', 'an integer', '42'],
  ['id.zero', 'zero', '0'],
  ['id.negative', 'a negative integer', '-7'],
  ['id.fraction', 'a fraction', '1.5'],
  ['id.null', 'null', 'null'],
]

const largeInteger = '1763632800123456789'

const refused: readonly (readonly [id: string, what: string, text: string])[] = [
  ['id.object', 'an object', '{}'],
  ['id.array', 'an array', '["1"]'],
  ['id.true', 'true', 'true'],
  ['id.false', 'false', 'false'],
]

const ask = (bridge: Bridge, id: string) =>
  bridge.exchange([`${requestText('processor_version', '[]', id)}\n`])

async function expectEcho(bridge: Bridge, text: string): Promise<void> {
  const { id } = responseOf(await ask(bridge, text))
  expectThat(Object.is(id, JSON.parse(text)), `id ${text}`, id)
}

/** Compares texts: a JavaScript number loses digits. */
async function expectDigits(bridge: Bridge): Promise<void> {
  const { text } = responseOf(await ask(bridge, largeInteger))
  const found = /"id"\s*:\s*([^,}\s]+)/.exec(text)?.[1]
  expectThat(found === largeInteger, `id ${largeInteger}`, found)
}

async function expectSilence(bridge: Bridge, method: string): Promise<void> {
  const connection = await bridge.open()
  await connection.send(`${requestText(method, '[]', '')}\n`)
  const { bytes } = await connection.quiet()
  expectThat(bytes.length === 0, 'not a byte', bytes)
  await expectAlive(bridge)
}

async function expectClosedWithoutByte(bridge: Bridge): Promise<void> {
  const line = `${requestText('processor_version', '[]', '')}\n`
  const { bytes, end } = await bridge.exchange([line], { until: 'end' })
  if (bytes.length > 0 || end !== 'eof') {
    throw new CheckFailed('the end of the stream without a byte', `${shown(bytes)}, then ${end}`)
  }
  await expectAlive(bridge)
}

/** Checks of the id. */
export const idChecks: readonly Check[] = [
  ...echoed.map(([id, what, text]): Check => ({
    id,
    section: sections.response,
    title: `${what} comes back with its type and value`,
    run: (bridge) => expectEcho(bridge, text),
  })),
  {
    id: 'id.large',
    section: sections.response,
    title: 'an integer beyond 2^53 comes back with every digit',
    profile: 'causeway',
    run: expectDigits,
  },
  ...refused.map(([id, what, text]): Check => ({
    id,
    section: sections.request,
    title: `${what} is not an id: -32600 with id null`,
    run: async (bridge) => expectError(await ask(bridge, text), codes.invalidRequest, [null]),
  })),
  {
    id: 'notification.silent',
    section: sections.notification,
    title: 'a request without id gets no reply',
    run: (bridge) => expectSilence(bridge, 'processor_version'),
  },
  {
    id: 'notification.silent-error',
    section: sections.notification,
    title: 'a request without id that fails gets no reply, either',
    run: (bridge) => expectSilence(bridge, 'conformance_nonsense'),
  },
  {
    id: 'notification.closed',
    section: sections.notification,
    title: 'the bridge closes after a request without id',
    profile: 'causeway',
    run: expectClosedWithoutByte,
  },
]
