/** Reads and sets the host's IP forwarding (ip-sysctl of the kernel's documentation). @module */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Family } from '@causeway/service/egress'
import { readOrEmpty } from '@causeway/service/failure'

const setting: Readonly<Record<Family, string>> = {
  ipv4: '/proc/sys/net/ipv4/ip_forward',
  ipv6: '/proc/sys/net/ipv6/conf/all/forwarding',
}

export function forwards(family: Family): boolean {
  return read(setting[family]) === '1'
}

/** @throws Error when this process may not change the setting */
export function setForwarding(family: Family, on: boolean): void {
  // A host that forwards ignores router advertisements unless `accept_ra` is 2.
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

const read = (path: string) => readOrEmpty(path).trim()
