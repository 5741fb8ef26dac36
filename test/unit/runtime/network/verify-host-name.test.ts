import { encodeSs58 } from '@causeway/manifest'
import { describe, expect, it } from 'vitest'
import { toErrorObject, type RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { ptrRecord, txtRecord } from '../../../../service/src/protocol/txt-record.ts'
import { parseHostName } from '../../../../runtime/src/network/verify/host-name.ts'
import { sourceAccount } from '../../../../runtime/src/network/verify/source-account.ts'
import { thrownBy } from '../../../support/thrown.ts'

describe('a host name', () => {
  it.each([
    ['example.test', { name: 'example.test', spellings: ['example.test'] }],
    ['Example.Test', { name: 'example.test', spellings: ['example.test', 'Example.Test'] }],
    [
      'Example.test.',
      { name: 'example.test', spellings: ['example.test', 'Example.test', 'Example.test.'] },
    ],
    ['_dns.example', { name: '_dns.example', spellings: ['_dns.example'] }],
    [
      'Bücher.example',
      {
        name: 'xn--bcher-kva.example',
        spellings: ['Bücher.example', 'xn--bcher-kva.example'],
      },
    ],
    [
      'bu\u0308cher.example.',
      {
        name: 'xn--bcher-kva.example',
        spellings: ['bu\u0308cher.example', 'bu\u0308cher.example.', 'xn--bcher-kva.example'],
      },
    ],
    [
      '\u212aelvin.example',
      { name: 'kelvin.example', spellings: ['\u212aelvin.example', 'kelvin.example'] },
    ],
    [
      '_dns.例え.テスト',
      {
        name: '_dns.xn--r8jz45g.xn--zckzah',
        spellings: ['_dns.例え.テスト', '_dns.xn--r8jz45g.xn--zckzah'],
      },
    ],
    [
      'xn--bcher-kva.example',
      { name: 'xn--bcher-kva.example', spellings: ['xn--bcher-kva.example'] },
    ],
  ])('%s', (text, parsed) => {
    expect(parseHostName(text)).toEqual(parsed)
  })

  const labels =
    'expected labels of 1 to 63 letters, digits, hyphens and underscores, with dots between'
  const port = 'expected a host name without port, not an address'
  const path = 'expected a bare host name without path or user'
  const consent = 'Consent needs a name with DNS records.'
  const long = Array.from({ length: 5 }, () => 'x'.repeat(49)).join('.')
  it.each<{ text: string; message: string; hint?: string }>([
    { text: '', message: 'expected a host name' },
    { text: '.', message: 'expected a host name' },
    {
      text: 'https://example.test/a?b',
      message: 'expected a bare host name without scheme',
      hint: 'Write only example.test.',
    },
    {
      text: 'ftp://u:p@example.test:21',
      message: 'expected a bare host name without scheme',
      hint: 'Write only example.test.',
    },
    { text: 'example.test/path', message: path, hint: 'Write only example.test.' },
    { text: 'me@example.test', message: path, hint: 'Write only example.test.' },
    { text: '//', message: path },
    { text: 'example.test:443', message: port, hint: consent },
    { text: '192.0.2.1', message: port, hint: consent },
    { text: '2130706433', message: port, hint: consent },
    { text: '0x7f.1', message: port, hint: consent },
    { text: '017700000001', message: port, hint: consent },
    { text: '::1', message: port, hint: consent },
    { text: '[::1]', message: port, hint: consent },
    {
      text: 'https://bücher.example/',
      message: 'expected a bare host name without scheme',
      hint: 'Write only bücher.example.',
    },
    { text: '\ud800.example', message: 'expected a name that IDNA can write in ASCII' },
    { text: '\u00ad', message: 'expected a name that IDNA can write in ASCII' },
    { text: 'bücher.%65xample', message: labels },
    { text: 'bü cher.example', message: 'expected a name that IDNA can write in ASCII' },
    { text: 'bücher..example', message: labels },
    { text: '１２７.0.0.1', message: port, hint: consent },
    { text: `${'ü'.repeat(60)}.example`, message: labels },
    { text: 'a..b', message: labels },
    { text: '.example', message: labels },
    { text: 'example..', message: labels },
    { text: `${'x'.repeat(64)}.example`, message: labels },
    { text: '*.example', message: labels },
    { text: 'exa mple', message: labels },
    { text: 'example\0', message: labels },
    { text: 'example\n', message: labels },
    { text: `${long}`, message: 'expected at most 248 characters' },
  ])('not $text', async ({ text, message, hint }) => {
    const error = await thrownBy(() => parseHostName(text))
    expect(toErrorObject(error as RpcError)).toEqual({
      code: -32602,
      message: `host: ${message}, found ${JSON.stringify(text.slice(0, 80))}`,
      data: {
        kind: 'BAD_HOST',
        retryable: false,
        details: { field: 'host' },
        ...(hint !== undefined && { hint }),
      },
    })
  })
})

describe('records', () => {
  // The vector of the reference network, there without its prefix.
  const hex = '9a1a0c52c2d7f23820caa7757acf049e07fcb68015919638feece41a4b0ee538'
  it('contain the digest over account and name', () => {
    const record = '_acu.example.com. IN TXT "v=lhiMn0udlLUWx7yIfO3Gi0jLwi/ftslG4rUKcbBHBhQ="'
    expect(txtRecord(sourceAccount(hex), 'example.com')).toBe(record)
  })
  it('are written for a zone file', () => {
    const record = '1.2.0.192.in-addr.arpa. IN PTR example.com.'
    expect(ptrRecord('192.0.2.1', 'example.com')).toBe(record)
  })
})

describe('an account', () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, at) => 255 - at)
  const hex = Buffer.from(bytes).toString('hex')
  it.each([
    ['hex', hex],
    ['HEX', hex.toUpperCase()],
    ['0x', `0x${hex}`],
    ['SS58 of 42', encodeSs58(bytes, 42)],
    ['SS58 of 1000', encodeSs58(bytes, 1000)],
  ])('as %s', (_, text) => {
    expect(sourceAccount(text)).toEqual(bytes)
  })
  const expected = 'expected an account of 64 hex digits or an SS58 address, found '
  it.each([
    ['', '"" (an SS58 account has 32 bytes, this address holds 0)'],
    [hex.slice(2), '62 hex digits'],
    [`0x${hex}00`, '66 hex digits'],
    ['0x', '0 hex digits'],
    [`${encodeSs58(bytes, 42).slice(0, -1)}1`, 'the SS58 checksum does not match'],
    ['hello world', 'character 3 of the SS58 address is not base58'],
  ])('not %j', async (text, found) => {
    const error = (await thrownBy(() => sourceAccount(text))) as TypeError
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message.startsWith(expected)).toBe(true)
    expect(error.message).toContain(found)
  })
})
