/**
 * The DNS records by which a host's owner consents that an owner's deployments reach the host
 * (runtime spec, `network_whitelist`).
 * @module
 */
import { createHash } from 'node:crypto'
import { reverseName } from '../dns/message/reverse-name.ts'

export const claimPrefix = '_acu.'

/** Name of a host's TXT record. */
export function claimName(host: string): string {
  return claimPrefix + host
}

/** Content of the TXT record: `v=` and base64 of sha256(source || name). @param source 32 bytes */
export function claimValue(source: Uint8Array, name: string): string {
  return `v=${createHash('sha256').update(source).update(name, 'utf8').digest('base64')}`
}

/**
 * The TXT record in the form of a zone file, like the records below.
 * @param spelling what the digest is over, where that is not the name in DNS
 */
export function txtRecord(source: Uint8Array, host: string, spelling = host): string {
  return `${claimName(host)}. IN TXT "${claimValue(source, spelling)}"`
}

export function ptrRecord(address: string, host: string): string {
  return `${reverseName(address)}. IN PTR ${host}.`
}

/** `<address>` stands for the address, which only the host's owner knows. */
export function addressRecord(host: string, type: 'A' | 'AAAA'): string {
  return `${host}. IN ${type} <address>`
}
