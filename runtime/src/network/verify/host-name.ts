/**
 * Parses the host of a `network_whitelist`: a bare name, or an error that says what was expected.
 * @module
 */
import { domainToASCII } from 'node:url'
import { RpcError } from '../../bridge/errors.ts'
import { isDomainName, isNumeric } from '@causeway/service/dns'
import { claimPrefix } from '@causeway/service/protocol'

export interface HostName {
  /** The name to look up: its A-labels in lower case, without a final dot. */
  name: string
  /** What owners may have hashed; the first one is what they are told to hash. */
  spellings: readonly string[]
}

// The name of its TXT record must not be too long, either.
const mostCharacters = 253 - claimPrefix.length
const shownCharacters = 80

/** @throws RpcError BAD_HOST naming what is wrong */
export function parseHostName(text: string): HostName {
  const given = text.replace(/\.$/, '')
  const name = inAscii(given).toLowerCase()
  const wrong = wrongForm(given, name)
  if (wrong) throw bad(text, ...wrong)
  // The digest is over the bytes as given; for a name in ASCII, over small letters, too.
  const spellings = isAscii(given) ? [name, given, text] : [given, text, name]
  return { name, spellings: [...new Set(spellings)] }
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

/** The A-labels of a name (UTS 46); empty when it has none. ASCII stays as it is. */
function inAscii(name: string): string {
  return isAscii(name) ? name : domainToASCII(name)
}

/** What was expected instead, and perhaps what to do; undefined for a bare name. */
function wrongForm(
  given: string,
  name: string,
): [expected: string, hint?: string | undefined] | undefined {
  if (given === '') return ['a host name']
  if (given.includes('://')) return ['a bare host name without scheme', bareHint(given)]
  if (/[/?#@]/.test(given)) return ['a bare host name without path or user', bareHint(given)]
  if (given.includes(':') || isNumeric(name))
    return ['a host name without port, not an address', 'Consent needs a name with DNS records.']
  if (name === '') return ['a name that IDNA can write in ASCII']
  if (name.length > mostCharacters) return [`at most ${mostCharacters} characters`]
  // The conversion decodes what a URL may have, such as %61.
  const ascii = given.replace(/[^\0-\x7f]+/g, '')
  if (!isDomainName(name) || /[^\w.-]/.test(ascii))
    return ['labels of 1 to 63 letters, digits, hyphens and underscores, with dots between']
  return undefined
}

function bareHint(name: string): string | undefined {
  const bare = /^(?:[^/?#]*:\/\/)?(?:[^/?#@]*@)?([^/?#:@]+)/.exec(name)?.[1]
  return bare !== undefined && isDomainName(inAscii(bare)) ? `Write only ${bare}.` : undefined
}

function bad(found: string, expected: string, hint?: string): RpcError {
  const shown = JSON.stringify(found.slice(0, shownCharacters))
  return new RpcError('BAD_HOST', `host: expected ${expected}, found ${shown}`, {
    details: { field: 'host' },
    ...(hint !== undefined && { hint }),
  })
}
