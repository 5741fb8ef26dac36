/**
 * Sends one GET for an archive, follows redirects, and connects only to allowed addresses.
 *
 * @module
 */
import { lookup, type LookupAddress } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { ImageError, errorText } from '../image-error.ts'
import { isLoopbackAddress } from '@causeway/service/egress'
import { checkRedirect, refuseAddress, showUrl, type SourcePolicy } from './url-policy.ts'

/** Options of a request. */
export interface HttpOptions {
  policy: SourcePolicy
  signal: AbortSignal
  /** Sent in addition to our own. */
  headers?: Readonly<Record<string, string>>
}

const maxRedirects = 5
const redirectStatus = new Set([301, 302, 303, 307, 308])

/**
 * Requests `url` (already checked), following at most 5 redirects.
 *
 * @returns the first response that is not a redirect, and its URL
 * @throws ImageError IMAGE_DOWNLOAD_FAILED or IMAGE_URL_REFUSED
 */
export async function followRedirects(
  url: URL,
  options: HttpOptions,
): Promise<{ url: URL; response: IncomingMessage }> {
  let current = url
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await get(current, options)
    const next = redirectTarget(current, response, options.policy)
    if (next === undefined) return { url: current, response }
    response.destroy()
    current = next
  }
  throw failed(url, `more than ${maxRedirects} redirects`)
}

function get(url: URL, { policy, signal, headers = {} }: HttpOptions): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined
    const request = send(url, {
      agent: false,
      // The digest is over the archive's own bytes, so no content coding may change them.
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'causeway',
        ...headers,
      },
      lookup: checkedLookup(url.protocol === 'http:', policy),
      signal,
    })
    request.on('response', (message) => resolve((response = message)))
    // This also reports what breaks the response later, such as bytes past its length.
    request.on('error', (error) => {
      response?.destroy(error)
      reject(error instanceof ImageError ? error : failed(url, errorText(error), error))
    })
    request.end()
  })
}

/**
 * Resolves like dns.lookup but returns only allowed addresses. The address checked is the one
 * connected to, so a changing DNS answer gains nothing.
 */
function checkedLookup(
  plainHttp: boolean,
  { allowLocal, allowsAddress }: SourcePolicy,
): LookupFunction {
  const isAllowed = plainHttp ? isLoopbackAddress : allowLocal ? () => true : allowsAddress
  const expected = plainHttp ? 'a loopback address' : 'a public address'
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return callback(error, '', 0)
      const allowed = found.filter(({ address }) => isAllowed(address))
      const first = allowed[0]
      if (first === undefined) {
        return callback(refuseAddress(host, found[0]?.address ?? 'nothing', expected), '', 0)
      }
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function redirectTarget(from: URL, response: IncomingMessage, policy: SourcePolicy) {
  if (!redirectStatus.has(response.statusCode ?? 0)) return undefined
  const location = response.headers.location
  if (location === undefined) return undefined
  try {
    return checkRedirect(from, location, policy)
  } catch (error) {
    response.destroy()
    throw error
  }
}

function failed(url: URL, reason: string, cause?: unknown): ImageError {
  const message = `image download from ${showUrl(url)} failed: ${reason}`
  return new ImageError('IMAGE_DOWNLOAD_FAILED', message, { cause })
}
