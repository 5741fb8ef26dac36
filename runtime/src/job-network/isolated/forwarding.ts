/**
 * Whether a host passes on what is not for itself (ip-sysctl of the kernel's documentation).
 * @module
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Family } from '@causeway/service/egress'

const setting: Readonly<Record<Family, string>> = {
  ipv4: '/proc/sys/net/ipv4/ip_forward',
  ipv6: '/proc/sys/net/ipv6/conf/all/forwarding',
}

export function forwards(family: Family): boolean {
  return read(setting[family]) === '1'
}

/** @throws Error when this process may not */
export function setForwarding(family: Family, on: boolean): void {
  // A host that forwards takes no more routes from routers, unless told that it may.
  if (family === 'ipv6' && on) keepRouters()
  writeFileSync(setting[family], on ? '1' : '0')
}

function keepRouters(): void {
  const folder = '/proc/sys/net/ipv6/conf'
  for (const name of readdirSync(folder)) {
    const accepts = join(folder, name, 'accept_ra')
    if (name !== 'all' && read(accepts) === '1') writeFileSync(accepts, '2')
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return '' // no IPv6
  }
}
