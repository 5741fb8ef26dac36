/** A DNS client for services whose decisions depend on what DNS answers. @module */
export { createDnsClient, type DnsClientOptions } from './client.ts'
export type { Answer, Lookup } from './lookup.ts'
export { isDomainName, isNumeric } from './message/domain-name.ts'
export { printable } from './message/printable.ts'
export { reverseName } from './message/reverse-name.ts'
export { hostResolverFile, hostResolvers, parseResolver } from './resolver.ts'
