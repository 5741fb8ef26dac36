/**
 * Input that is not JSON, and its effect on others.
 * @module
 */
import type { Bridge, Check } from '../check.ts'
import { expectThat } from '../outcome.ts'
import { requestText, versionRequest } from '../request.ts'
import { codes, errorOf, expectError, responseOf } from '../response.ts'
import { sections } from '../sections.ts'
import { expectAlive, expectVersion } from './version-answer.ts'

const newline = Buffer.of(0x0a)
const httpGet = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const httpPost = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${versionRequest.length}\r\n\r\n${versionRequest}`
const tlsHello = Buffer.from('16030100b1010000ad0303ff00c02bc02f00ff', 'hex')
const depth = 100_000

/** All bytes but the two that end lines; it starts in the middle, so it is not UTF-8. */
const binary = Buffer.from(Array.from({ length: 256 }, (_, index) => (index + 128) % 256)).filter(
  (byte) => byte !== 0x0a && byte !== 0x0d,
)

interface Row extends Pick<Check, 'id' | 'title' | 'profile'> {
  sent: string | Buffer
  /** Ends the stream after it. */
  halfClose?: boolean
}

/** Each must be answered `-32700` with id null. */
const rows: readonly Row[] = [
  { id: 'garbage.text', title: 'text', sent: 'hello\n' },
  { id: 'garbage.truncated', title: 'half a request', sent: `${versionRequest.slice(0, 30)}\n` },
  { id: 'garbage.two', title: 'two requests on one line', sent: `${versionRequest} {}\n` },
  { id: 'garbage.quotes', title: 'JSON with single quotes', sent: "{'jsonrpc':'2.0'}\n" },
  { id: 'garbage.nan', title: 'NaN', sent: 'NaN\n' },
  { id: 'garbage.binary', title: 'binary', sent: Buffer.concat([binary, newline]) },
  { id: 'garbage.nul', title: 'NUL bytes', sent: Buffer.concat([Buffer.alloc(64), newline]) },
  { id: 'garbage.http-get', title: 'an HTTP GET', sent: httpGet },
  { id: 'garbage.http-post', title: 'an HTTP POST', sent: httpPost },
  { id: 'garbage.tls', title: 'a TLS hello', sent: Buffer.concat([tlsHello, newline]) },
  {
    id: 'garbage.utf8',
    title: 'a string that is not UTF-8',
    profile: 'causeway',
    sent: Buffer.from(`${requestText('processor_version', '[]', '"\xff"')}\n`, 'latin1'),
  },
  {
    id: 'garbage.blank',
    title: 'blank lines and the end of the stream',
    profile: 'causeway',
    sent: '\n\r\n',
    halfClose: true,
  },
]

/** Sends half a request, garbage on other connections, then the other half. */
async function expectUndisturbed(bridge: Bridge): Promise<void> {
  const connection = await bridge.open()
  await connection.send(versionRequest.slice(0, 20))
  for (const { sent, halfClose = false } of rows) await bridge.exchange([sent], { halfClose })
  await connection.send(`${versionRequest.slice(20)}\n`)
  expectVersion(await connection.line())
}

/** Any response will do; the depth must not crash the bridge. */
async function expectSurvived(bridge: Bridge, params: string): Promise<void> {
  responseOf(await bridge.exchange([`${requestText('processor_version', params)}\n`]))
  await expectAlive(bridge)
}

/** Checks with garbage. */
export const garbageChecks: readonly Check[] = [
  ...rows.map(({ sent, title, halfClose = false, ...row }): Check => ({
    ...row,
    section: sections.error,
    title: `${title}: -32700 with id null`,
    run: async (bridge) =>
      expectError(await bridge.exchange([sent], { halfClose }), codes.parse, [null]),
  })),
  {
    id: 'garbage.http-told',
    section: sections.errors,
    title: 'an HTTP client reads that this is not HTTP',
    profile: 'causeway',
    async run(bridge) {
      const { message } = errorOf(await bridge.exchange([httpGet]))
      expectThat(message.includes('HTTP'), 'a message that names HTTP', message)
    },
  },
  {
    id: 'garbage.undisturbed',
    section: sections.line,
    title: 'garbage on one connection disturbs no other',
    run: expectUndisturbed,
  },
  {
    id: 'garbage.brackets',
    section: sections.error,
    title: '100,000 open brackets are answered with an error',
    async run(bridge) {
      // The bridge may parse it or refuse it unparsed.
      errorOf(await bridge.exchange([`${'['.repeat(depth)}\n`]))
      await expectAlive(bridge)
    },
  },
  {
    id: 'garbage.nested-arrays',
    section: sections.line,
    title: 'params of 100,000 nested arrays are answered',
    run: (bridge) => expectSurvived(bridge, `${'['.repeat(depth)}${']'.repeat(depth)}`),
  },
  {
    id: 'garbage.nested-objects',
    section: sections.line,
    title: 'params of 100,000 nested objects are answered',
    run: (bridge) => expectSurvived(bridge, `[${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}]`),
  },
]
