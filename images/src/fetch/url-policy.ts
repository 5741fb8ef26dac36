/** Which URLs an image may be fetched from; redirects are checked, too. @module */
import { isIP } from 'node:net'
import { ImageError } from '../image-error.ts'
import { isLoopbackAddress } from '@causeway/service/egress'

const openLocal = 'allowLocal (--allow-local-images) opens it'

/** Which sources an image may come from. */
export interface SourcePolicy {
  /** Allows `file:`, http to loopback, and https to every address. */
  allowLocal: boolean
  /** Whether https may connect to an address when `allowLocal` is off. */
  allowsAddress: (address: string) => boolean
}

/**
 * Parses and checks one URL: {@link parseSource}, then {@link checkSource}.
 *
 * @throws ImageError IMAGE_URL_REFUSED
 */
export function checkUrl(text: string, policy: SourcePolicy): URL {
  return checkSource(parseSource(text), policy)
}

/**
 * Parses a URL that some policy may allow: https, `file:`, or http to loopback.
 *
 * @throws ImageError IMAGE_URL_REFUSED for every other one
 */
export function parseSource(text: string): URL {
  const url = parseUrl(text)
  if (!['https:', 'file:', 'http:'].includes(url.protocol)) {
    throw refuse(url, `scheme ${url.protocol} is not supported, expected https:`)
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url)) {
    throw refuse(url, 'plain http is only for loopback hosts, expected https:')
  }
  return url
}

/**
 * Checks whether an image may be fetched from a parsed URL: by https from where the policy allows;
 * by `file:` and http to loopback only when `allowLocal`. Names are checked again, as addresses,
 * when they are connected to.
 *
 * @throws ImageError IMAGE_URL_REFUSED, saying which option would open it
 */
export function checkSource(url: URL, policy: SourcePolicy): URL {
  if (url.protocol === 'https:') return checkHttps(url, policy)
  if (policy.allowLocal) return url
  const reason = 'this host has no image with this sha256, and local ones are not allowed'
  throw refuse(url, `${reason}; ${openLocal}`)
}

/**
 * Checks the target of a redirect by the same rule; a server can send the host neither to a file
 * nor from https to http.
 *
 * @throws ImageError IMAGE_URL_REFUSED
 */
export function checkRedirect(from: URL, location: string, policy: SourcePolicy): URL {
  if (!URL.canParse(location, from.href)) {
    throw refuse(from, 'it redirects to something that is not a URL')
  }
  const target = new URL(location, from)
  if (target.protocol === 'file:' || (from.protocol === 'https:' && target.protocol === 'http:')) {
    throw refuse(target, `${showUrl(from)} redirects to it, and a redirect may only lead to https:`)
  }
  return checkUrl(target.href, policy)
}

/** The host part, without the brackets of an IPv6 literal. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** A URL as messages show it, without its possible secrets: user, password, query, fragment. */
export function showUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?…'}`
}

/** The error for an address that the policy refuses. */
export function refuseAddress(host: string, address: string, expected: string): ImageError {
  const name = host === address ? `address ${address}` : `host ${host} is ${address}, which`
  return new ImageError('IMAGE_URL_REFUSED', `image ${name} is not ${expected}; ${openLocal}`)
}

function parseUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw new ImageError('IMAGE_URL_REFUSED', 'the image url is not a valid URL')
}

function checkHttps(url: URL, { allowLocal, allowsAddress }: SourcePolicy): URL {
  const host = hostOf(url)
  // Node calls no lookup hook for an address literal, so literals are checked here.
  if (!allowLocal && isIP(host) !== 0 && !allowsAddress(host)) {
    throw refuseAddress(host, host, 'a public address')
  }
  return url
}

function isLoopbackHost(url: URL): boolean {
  return url.hostname === 'localhost' || isLoopbackAddress(hostOf(url))
}

function refuse(url: URL, reason: string): ImageError {
  return new ImageError('IMAGE_URL_REFUSED', `image url ${showUrl(url)} refused: ${reason}`)
}
