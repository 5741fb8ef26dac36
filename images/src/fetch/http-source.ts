/**
 * Opens an archive over https (or loopback http). It follows redirects by the url policy, connects
 * only to addresses that the address policy allows, and continues an earlier transfer when the
 * server still has the same entity.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { errorText } from '../image-error.ts'
import { failed, followRedirects, type HttpOptions } from './http-request.ts'
import type { ArchiveSource, Resume } from './source.ts'

/** The part of an archive that a response carries. */
interface Range {
  offset: number
  /** Bytes in this response. */
  length: number | undefined
  totalBytes: number | undefined
}

/** Status codes by which a server refuses the range. */
const rangeRefused = new Set([412, 416])

/**
 * Requests `url` (already checked), following at most 5 redirects. With `resume` it requests only
 * the rest, if the server still has the same entity.
 *
 * @throws ImageError IMAGE_DOWNLOAD_FAILED or IMAGE_URL_REFUSED
 */
export async function openHttp(
  url: URL,
  { resume, ...options }: HttpOptions & { resume?: Resume | undefined },
): Promise<ArchiveSource> {
  if (resume !== undefined) {
    const headers = { range: `bytes=${resume.bytes}-`, 'if-range': resume.validator }
    const { url: last, response } = await followRedirects(url, { ...options, headers })
    const range = rangeOf(last, response, resume)
    if (range !== undefined) return readBody(last, response, range)
    response.destroy()
  }
  const { url: last, response } = await followRedirects(url, options)
  return readBody(last, response, wholeOf(last, response))
}

/** Undefined when the transfer must start from the beginning. */
function rangeOf(url: URL, response: IncomingMessage, resume: Resume): Range | undefined {
  const { statusCode = 0 } = response
  if (rangeRefused.has(statusCode)) return undefined
  if (statusCode !== 206) return wholeOf(url, response)
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers['content-range'] ?? '')
  if (match === null) return undefined
  const [offset, end, totalBytes] = match.slice(1).map(Number) as [number, number, number]
  const isRest = offset === resume.bytes && end + 1 === totalBytes && end >= offset
  const isSame = resume.totalBytes === undefined || resume.totalBytes === totalBytes
  return isRest && isSame ? { offset, length: totalBytes - offset, totalBytes } : undefined
}

function wholeOf(url: URL, response: IncomingMessage): Range {
  const { statusCode, statusMessage = '' } = response
  if (statusCode !== 200) {
    response.destroy()
    throw failed(url, `the server answered ${statusCode} ${statusMessage}, expected 200`)
  }
  const length = response.headers['content-length']
  const totalBytes = length === undefined ? undefined : Number(length)
  return { offset: 0, length: totalBytes, totalBytes }
}

function readBody(url: URL, response: IncomingMessage, range: Range): ArchiveSource {
  const { offset, length, totalBytes } = range
  const validator = validatorOf(response)
  return {
    chunks: checkedBody(url, response, length),
    totalBytes,
    offset,
    ...(validator === undefined ? {} : { validator }),
    cancel: () => Promise.resolve(void response.destroy()),
  }
}

/** A weak ETag does not promise the same bytes. */
function validatorOf({ headers }: IncomingMessage): string | undefined {
  const { etag } = headers
  return etag !== undefined && !etag.startsWith('W/') ? etag : headers['last-modified']
}

async function* checkedBody(url: URL, response: IncomingMessage, length: number | undefined) {
  const expected = length === undefined ? '' : `, expected ${length} bytes`
  let received = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.length
      yield chunk
    }
  } catch (error) {
    // Some bytes may have arrived unread, so the number of bytes received is not known.
    throw failed(url, `the transfer broke off (${errorText(error)})${expected}`, error)
  }
  if (length !== undefined && received !== length) {
    throw failed(url, `the transfer ended after ${received} bytes${expected}`)
  }
}
