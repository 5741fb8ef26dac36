import type { Answer } from 'dns-packet'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verificationText } from '../../../../runtime/src/cli/print/verification-text.ts'
import { refusalOf } from '../../../../runtime/src/network/refusal.ts'
import { createVerifier } from '../../../../runtime/src/network/verify/verify-host.ts'
import { questionOf, replyTo, startForgingServer } from '../../../support/forging-server.ts'
import type { ForgingServer } from '../../../support/forging-server.ts'
import { digest, source } from './verify-zones.ts'

// Terminal controls (also of one byte), a mark that reverses text, and a line of the zone's own.
const hostile = '\x1b[2J\x9b31m\x07\u202e\u2028\x7f\r\n\0" ✓'
const typeA = 1
const typePtr = 12
const typeTxt = 16

/** A zone that puts the text wherever it can, for a host whose name says where. */
function answers(query: Buffer): Answer[] {
  const question = questionOf(query)
  const type = question.at(-3)
  const name = nameOf(question)
  const alias = (data: string): Answer => ({ type: 'CNAME', name, ttl: 60, data })
  const txt = (data: string): Answer => ({ type: 'TXT', name, ttl: 60, data })
  if (name.startsWith('_acu.alias')) return [alias(`${hostile}.test`)]
  if (name.startsWith('_acu.claim')) return [txt(hostile), txt(hostile.repeat(20))]
  if (type === typeTxt) return [txt(digest(name.slice(5)))]
  if (type === typeA && name.startsWith('address')) return [alias(`${hostile}.test`)]
  if (type === typeA) return [{ type: 'A', name, ttl: 60, data: '93.184.1.1' }]
  if (type === typePtr) return [{ type: 'PTR', name, ttl: 60, data: `${hostile}.test` }]
  return []
}

function nameOf(question: Buffer): string {
  const labels: string[] = []
  for (let at = 0; question[at] !== 0; at += 1 + question[at]!) {
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!).toLowerCase())
  }
  return labels.join('.')
}

let server: ForgingServer
beforeAll(async () => {
  server = await startForgingServer({ udp: (query) => [replyTo(query, answers(query))] })
})
afterAll(() => server[Symbol.asyncDispose]())

it.each([
  ['claim.test', 'TXT_MISMATCH'],
  ['alias.test', 'TXT_MISSING'],
  ['address.test', 'NO_ADDRESS'],
  ['pointer.test', 'PTR_MISSING'],
])('what %s says reaches neither a terminal nor a log as it is', async (host, kind) => {
  const verify = createVerifier({ resolvers: [server], isExhaustive: true })
  const verification = await verify(host, source)
  expect(verification.failure).toMatchObject({ kind })
  const { message, options } = refusalOf(verification)
  const texts = [verificationText(verification), message, JSON.stringify(options)]
  expect(texts.join('\n')).toContain('\\x1b[2J')
  for (const text of texts) expect(text).toMatch(/^[\x20-\x7e\n✓✗]*$/)
})
