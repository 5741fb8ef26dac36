import { expect, test } from 'vitest'
import { verificationText } from '../../../../runtime/src/cli/print/verification-text.ts'
import { networkText } from '../../../../runtime/src/cli/whitelist/list.ts'
import type { VerificationStep } from '../../../../runtime/src/network/verify/verification.ts'
import { failing, passing } from '../../../support/verifications.ts'

const address: VerificationStep = {
  step: 'address',
  name: 'a.example',
  type: 'A',
  found: ['192.0.2.1', '192.0.2.2'],
}
const none: VerificationStep = { step: 'address', name: 'a.example', type: 'AAAA', found: [] }

test('a host that passes: a tick a question', () => {
  const { steps, ...rest } = passing('a.example')
  expect(verificationText({ ...rest, steps: [...steps, address, none] })).toBe(
    `✓ TXT  _acu.a.example: v=ok
✓ A    a.example: 192.0.2.1, 192.0.2.2
✓ AAAA a.example: none

✓ a.example would be whitelisted: 192.0.2.1 for 60 s`,
  )
})

test('a claim over another spelling than the name in DNS', () => {
  const { steps, ...rest } = passing('xn--bcher-kva.example')
  const [claim] = steps
  const text = (spelling: string) =>
    verificationText({ ...rest, steps: [{ ...claim!, spelling }] }).split('\n')[0]
  expect(text('bücher.example')).toBe(
    '✓ TXT  _acu.xn--bcher-kva.example (over bücher.example): v=ok',
  )
  expect(text('xn--bcher-kva.example')).toBe('✓ TXT  _acu.xn--bcher-kva.example: v=ok')
})

test('one that does not: what was found, what is wrong, what to publish', () => {
  expect(verificationText(failing('a.example', 'PTR_TXT_MISSING'))).toBe(
    `✗ TXT  _acu.ptr.a.example (192.0.2.1): nothing
       _acu.ptr.a.example: expected a record, found none
       publish: _acu.ptr.a.example. 300 IN TXT "v=abc="

✗ a.example would not be whitelisted: PTR_TXT_MISSING`,
  )
})

test('nothing to publish where that would not help', () => {
  const text = verificationText(failing('a.example', 'RESOLVER_FAILED'))
  expect(text).toMatch(/ not be whitelisted: RESOLVER_FAILED$/)
  expect(text).not.toContain('publish')
})

const counters = { admitted: 3, limited: 2, refused: 1 }

test('a network with its limits and its hosts', () => {
  const view = {
    mode: 'isolated' as const,
    missing: ['IPv6 is off on this host'],
    limits: { connectionsPerSecond: 10, connectionBurst: 20 },
    networkRequests: 500,
    counters,
    byHost: { admitted: 4, limited: 0, refused: 0 },
    hosts: [
      {
        host: 'a-long-name.example',
        addresses: [
          { address: '192.0.2.1', seconds: 60 },
          { address: '2001:db8::1', seconds: 3600 },
        ],
      },
    ],
  }
  expect(networkText(view)).toBe(
    `network        isolated: a network of its own
missing        IPv6 is off on this host
limit          10 new connections/s to other hosts, 20 at once
at most        500 new connections in one execution
connections    3 admitted, 2 limited, 1 refused, in this execution and those just before it
by the host    4 admitted, 0 limited, 0 refused
a-long-name.example 192.0.2.1 (60 s), 2001:db8::1 (3600 s)`,
  )
})

test('one where nothing is enforced says so', () => {
  const byHost = { admitted: 0, limited: 0, refused: 0 }
  const text = networkText({ mode: 'none', missing: ['not root'], counters, byHost, hosts: [] })
  expect(text.split('\n')).toEqual([
    'network        the host’s; nothing is limited or refused',
    'missing        not root',
    'connections    3 admitted, 2 limited, 1 refused, in this execution and those just before it',
    'hosts          none whitelisted',
  ])
})
