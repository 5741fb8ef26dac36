import { describe, expect, test } from 'vitest'
import { isLoopbackAddress, isPublicAddress } from '../../../service/src/egress/special-purpose.ts'
import { checkRedirect, checkUrl, showUrl } from '../../../images/src/fetch/url-policy.ts'

const closed = { allowLocal: false, allowsAddress: isPublicAddress }
const open = { ...closed, allowLocal: true }

describe('addresses an image may come from', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.128.0.1',
    '172.32.0.1',
    '2606:4700::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'not-an-address',
    '',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test('loopback', () => {
    const loopback = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']
    expect(loopback.map(isLoopbackAddress)).toEqual([true, true, true, true])
    expect(['10.0.0.1', '::2', 'localhost', ''].map(isLoopbackAddress)).not.toContain(true)
  })
})

describe('urls', () => {
  test.each([
    'https://images.example/a.tar.xz',
    'https://images.example:8443/a',
    'https://8.8.8.8/a',
    'https://[2606:4700::1]/a',
  ])('%s is always allowed', (url) => {
    expect(checkUrl(url, closed).href).toBe(url)
  })

  test.each([
    'file:///srv/a.tar.xz',
    'http://127.0.0.1/a',
    'http://127.1.2.3:80/a',
    'http://0x7f.1/a',
    'http://[::1]:8080/a',
    'http://localhost/a',
    'https://127.0.0.1/a',
    'https://[::1]/a',
    'https://[::ffff:10.0.0.1]/a',
    'https://192.168.0.1/a',
  ])('%s is allowed only with allowLocal, which the refusal names', (url) => {
    expect(() => checkUrl(url, closed)).toThrow(
      expect.objectContaining({
        kind: 'IMAGE_URL_REFUSED',
        message: expect.stringContaining('allowLocal') as string,
      }) as Error,
    )
    expect(() => checkUrl(url, open)).not.toThrow()
  })

  test.each([
    'http://images.example/a',
    'http://8.8.8.8/a',
    'http://localhost.example/a',
    'http://10.0.0.1/a',
    'ftp://images.example/a',
    'data:,x',
    'javascript:1',
    'images.example/a',
    '/a.tar',
    '',
  ])('%j is never allowed', (url) => {
    expect(() => checkUrl(url, open)).toThrow(
      expect.objectContaining({ kind: 'IMAGE_URL_REFUSED' }) as Error,
    )
  })

  test.each([
    ['https://a.example/x', '/y', 'https://a.example/y'],
    ['https://a.example/x', 'https://b.example/y', 'https://b.example/y'],
    ['http://127.0.0.1/x', 'http://localhost/y', 'http://localhost/y'],
    ['http://127.0.0.1/x', 'https://b.example/y', 'https://b.example/y'],
  ])('%s may redirect to %s', (from, location, target) => {
    expect(checkRedirect(new URL(from), location, open).href).toBe(target)
  })

  test.each([
    ['https://a.example/x', 'file:///etc/passwd'],
    ['http://127.0.0.1/x', 'file:///etc/passwd'],
    ['https://a.example/x', 'http://127.0.0.1/y'],
    ['https://a.example/x', 'http://b.example/y'],
    ['https://a.example/x', 'ftp://b.example/y'],
    ['https://a.example/x', 'https://['],
  ])('%s may not redirect to %s, even with allowLocal', (from, location) => {
    expect(() => checkRedirect(new URL(from), location, open)).toThrow(
      expect.objectContaining({ kind: 'IMAGE_URL_REFUSED' }) as Error,
    )
  })

  test('a redirect to a private address is refused', () => {
    const from = new URL('https://a.example/x')
    expect(() => checkRedirect(from, 'https://169.254.169.254/latest', closed)).toThrow('169.254')
  })

  test('messages show neither credentials nor query', () => {
    const url = new URL('https://user:pw@a.example/x?token=1#f')
    expect(showUrl(url)).toBe('https://a.example/x?…')
  })
})

test('an address that is not public is allowed where the policy says so', () => {
  const policy = { allowLocal: false, allowsAddress: (address: string) => address === '10.0.0.7' }
  expect(checkUrl('https://10.0.0.7/image.tar', policy).hostname).toBe('10.0.0.7')
  expect(() => checkUrl('https://10.0.0.8/image.tar', policy)).toThrow('10.0.0.8')
  expect(() => checkUrl('http://10.0.0.7/image.tar', policy)).toThrow('plain http')
})
