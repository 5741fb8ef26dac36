/**
 * One reply line: its form, its pieces, and the close after it.
 * @module
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Bridge, Check } from '../check.ts'
import type { Received } from '../input.ts'
import { CheckSkipped, expectThat } from '../outcome.ts'
import { requestText, versionRequest } from '../request.ts'
import { codes, responseOf } from '../response.ts'
import { sections } from '../sections.ts'

const section = sections.line
const unknownRequest = requestText('conformance_nonsense')

// Twice the default buffer of a Unix socket, so that no bridge can send it at once.
const longIdLength = 500_000
// Longer than any timeout of a bridge that closes early.
const lateMs = 1500

function expectCompact(received: Received): void {
  const compact = `${JSON.stringify(JSON.parse(responseOf(received).text))}\n`
  const isCompact = received.bytes.equals(Buffer.from(compact))
  expectThat(isCompact, 'JSON without blanks and one \\n', received.bytes)
}

async function expectClosed(bridge: Bridge, request: string): Promise<void> {
  const received = await bridge.exchange([`${request}\n`], { until: 'end' })
  responseOf(received)
  expectThat(received.end === 'eof', 'the end of the stream after the reply', received.end)
}

/** Sends an id that makes the reply long, and reads late. */
async function readLate(bridge: Bridge): Promise<void> {
  const id = 'x'.repeat(longIdLength)
  const connection = await bridge.open()
  connection.pause()
  await connection.send(`${requestText('processor_version', '[]', `"${id}"`)}\n`)
  await delay(Math.min(lateMs, bridge.timeoutMs))
  connection.resume()
  const response = responseOf(await connection.line())
  if (response.error?.code === codes.limitExceeded) {
    throw new CheckSkipped(`a request line of ${longIdLength} bytes is over this bridge's limit`)
  }
  expectThat(response.id === id, `an id of ${longIdLength} bytes`, String(response.id).length)
}

/** Checks of the reply line. */
export const replyChecks: readonly Check[] = [
  {
    id: 'reply.one-send',
    section,
    title: 'the complete reply comes in one piece, for clients that read once',
    profile: 'causeway',
    async run(bridge) {
      const request = requestText('processor_version', '[]', `"${'x'.repeat(2000)}"`)
      for (let round = 0; round < 5; round++) {
        const received = await bridge.exchange([`${request}\n`], { until: 'settled' })
        responseOf(received)
        const { chunks } = received
        const first = chunks[0] ?? Buffer.alloc(0)
        expectThat(first.at(-1) === 0x0a, 'a first read that ends in \\n', first)
        expectThat(chunks.length === 1, 'one read', `${chunks.length} reads`)
      }
    },
  },
  {
    id: 'reply.compact',
    section,
    title: 'results are compact JSON',
    profile: 'causeway',
    run: async (bridge) => expectCompact(await bridge.exchange([`${versionRequest}\n`])),
  },
  {
    id: 'reply.compact-error',
    section,
    title: 'errors are compact JSON',
    profile: 'causeway',
    run: async (bridge) => expectCompact(await bridge.exchange([`${unknownRequest}\n`])),
  },
  {
    id: 'reply.closed',
    section,
    title: 'the bridge closes after a result, without waiting for the client',
    profile: 'causeway',
    run: (bridge) => expectClosed(bridge, versionRequest),
  },
  {
    id: 'reply.closed-error',
    section,
    title: 'the bridge closes after an error',
    profile: 'causeway',
    run: (bridge) => expectClosed(bridge, unknownRequest),
  },
  {
    id: 'reply.late-reader',
    section,
    title: 'a long reply reaches a client that reads late',
    run: readLate,
  },
  {
    id: 'reply.result-alone',
    section: sections.response,
    title: 'a result has no error member, not even null',
    async run(bridge) {
      const { text } = responseOf(await bridge.exchange([`${versionRequest}\n`]))
      const members = Object.keys(JSON.parse(text) as object)
      expectThat(!members.includes('error'), 'no member error beside the result', text)
    },
  },
  {
    id: 'reply.error-alone',
    section: sections.response,
    title: 'an error has no result member, not even null',
    async run(bridge) {
      const { text } = responseOf(await bridge.exchange([`${unknownRequest}\n`]))
      const members = Object.keys(JSON.parse(text) as object)
      expectThat(members.includes('error'), 'a member error', text)
      expectThat(!members.includes('result'), 'no member result beside the error', text)
    },
  },
]
