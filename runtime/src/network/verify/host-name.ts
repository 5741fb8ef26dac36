/**
 * Parses the host of a `network_whitelist`: a bare name, or an error that says what was expected.
 * @module
 */
import { domainToASCII } from 'node:url'
import { RpcError } from '../../bridge/errors.ts'
import { isDomainName, isNumeric } from '@causeway/service/dns'
import { claimPrefix } from '@causeway/service/protocol'

export interface HostName {
  /** The name to look up: lower case, without a final dot. */
  name: string
  /** Spellings that owners may have hashed: `name`, and the host as the caller wrote it. */
  spellings: readonly string[]
}

// The name of its TXT record must not be too long, either.
const mostCharacters = 253 - claimPrefix.length
const shownCharacters = 80

/** @throws RpcError BAD_HOST naming what is wrong */
export function parseHostName(text: string): HostName {
  const name = text.replace(/\.$/, '')
  const wrong = wrongForm(name)
  if (wrong) throw bad(text, ...wrong)
  const lower = name.toLowerCase()
  return { name: lower, spellings: [...new Set([lower, name, text])] }
}

/** What was expected instead, and perhaps what to do; undefined for a bare name. */
function wrongForm(name: string): [expected: string, hint?: string | undefined] | undefined {
  if (name === '') return ['a host name']
  if (/[^\0-\x7f]/.test(name)) return ['a name in ASCII', punycodeHint(name)]
  if (name.includes('://')) return ['a bare host name without scheme', bareHint(name)]
  if (/[/?#@]/.test(name)) return ['a bare host name without path or user', bareHint(name)]
  if (name.includes(':') || isNumeric(name))
    return ['a host name without port, not an address', 'Consent needs a name with DNS records.']
  if (name.length > mostCharacters) return [`at most ${mostCharacters} characters`]
  if (!isDomainName(name))
    return ['labels of 1 to 63 letters, digits, hyphens and underscores, with dots between']
  return undefined
}

function punycodeHint(name: string): string {
  const ascii = domainToASCII(name)
  return ascii === '' ? 'Write it in punycode (xn--...).' : `Write it as ${ascii}.`
}

function bareHint(name: string): string | undefined {
  const bare = /^(?:[^/?#]*:\/\/)?(?:[^/?#@]*@)?([^/?#:@]+)/.exec(name)?.[1]
  return bare !== undefined && isDomainName(bare) ? `Write only ${bare}.` : undefined
}

function bad(found: string, expected: string, hint?: string): RpcError {
  const shown = JSON.stringify(found.slice(0, shownCharacters))
  return new RpcError('BAD_HOST', `host: expected ${expected}, found ${shown}`, {
    details: { field: 'host' },
    ...(hint !== undefined && { hint }),
  })
}
