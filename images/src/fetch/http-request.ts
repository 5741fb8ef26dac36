/**
 * Sends one GET for an archive, follows redirects, and connects only to allowed addresses.
 *
 * @module
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as startTls } from 'node:tls'
import { ImageError, errorText } from '../image-error.ts'
import { orUndoNow } from '@causeway/service/failure'
import { createEgress, EgressRefusedError, isLoopbackAddress } from '@causeway/service/egress'
import { checkRedirect, hostOf, refuseAddress, showUrl, type SourcePolicy } from './url-policy.ts'

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
      // The digest is over the archive's own bytes, so no content coding may change them.
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'causeway',
        ...headers,
      },
      // Without an agent Node knows no default port, and puts even that into the Host header.
      defaultPort: url.protocol === 'https:' ? 443 : 80,
      createConnection: (_options, done) => {
        // Not `done` with an error: its type wants a socket. A request without one ignores `destroy`.
        const fail = (error: Error) => void request.emit('error', error)
        connect(url, policy, signal).then(done.bind(undefined, null), fail)
        return undefined
      },
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

/** Connects to an address that the policy allows; the TLS of https is the host name's. */
async function connect(
  url: URL,
  { allowLocal, allowsAddress }: SourcePolicy,
  signal: AbortSignal,
): Promise<Duplex> {
  const [host, isPlain] = [hostOf(url), url.protocol === 'http:']
  const allows = isPlain ? isLoopbackAddress : allowLocal ? () => true : allowsAddress
  const port = Number(url.port || (isPlain ? 80 : 443))
  try {
    const socket = await createEgress({ allows }).dial({ host, port }, signal)
    return isPlain ? socket : startTls({ socket, host, servername: isIP(host) === 0 ? host : '' })
  } catch (error) {
    if (!(error instanceof EgressRefusedError)) throw error
    throw refuseAddress(host, error.address, isPlain ? 'a loopback address' : 'a public address')
  }
}

function redirectTarget(from: URL, response: IncomingMessage, policy: SourcePolicy) {
  if (!redirectStatus.has(response.statusCode ?? 0)) return undefined
  const location = response.headers.location
  if (location === undefined) return undefined
  return orUndoNow(
    () => checkRedirect(from, location, policy),
    () => response.destroy(),
  )
}

/** The error for a download that broke off, or that a server does not give. */
export function failed(url: URL, reason: string, cause?: unknown): ImageError {
  const message = `image download from ${showUrl(url)} failed: ${reason}`
  return new ImageError('IMAGE_DOWNLOAD_FAILED', message, { cause })
}
