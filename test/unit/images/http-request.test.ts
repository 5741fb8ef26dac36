import { OutgoingMessage } from 'node:http'
import { expect, test, vi } from 'vitest'
import { followRedirects } from '../../../images/src/fetch/http-request.ts'

// A server on a default port would need root; the header is set before anything is connected.
test.each([
  ['https://name.invalid/a', 'name.invalid'],
  ['https://name.invalid:8443/a', 'name.invalid:8443'],
  ['http://name.invalid/a', 'name.invalid'],
])('a request for %s names the host %s', async (url, host) => {
  const setHeader = vi.spyOn(OutgoingMessage.prototype, 'setHeader')
  const policy = { allowLocal: false, allowsAddress: () => false }
  const { signal } = new AbortController()
  await expect(followRedirects(new URL(url), { policy, signal })).rejects.toThrow(
    'image download from',
  )
  const named = setHeader.mock.calls.filter(([name]) => name.toLowerCase() === 'host')
  setHeader.mockRestore()
  expect(named.map(([, value]) => value)).toEqual([host])
})
