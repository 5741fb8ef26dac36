/**
 * The records by which somebody consents to be reached by the deployments of an owner (runtime
 * spec, `network_whitelist`).
 * @module
 */
import { createHash } from 'node:crypto'
import { reverseName } from '../dns/message/reverse-name.ts'

export const claimPrefix = '_acu.'

/** Where the TXT record of a name is. */
export function claimName(host: string): string {
  return claimPrefix + host
}

/** What it holds: `v=` and base64 of sha256(source || name). @param source 32 bytes */
export function claimValue(source: Uint8Array, name: string): string {
  return `v=${createHash('sha256').update(source).update(name, 'utf8').digest('base64')}`
}

/** In the form of a zone file, as the others. */
export function txtRecord(source: Uint8Array, host: string): string {
  return `${claimName(host)}. IN TXT "${claimValue(source, host)}"`
}

export function ptrRecord(address: string, host: string): string {
  return `${reverseName(address)}. IN PTR ${host}.`
}

/** Which address is for the host's owner to know. */
export function addressRecord(host: string, type: 'A' | 'AAAA'): string {
  return `${host}. IN ${type} <address>`
}
