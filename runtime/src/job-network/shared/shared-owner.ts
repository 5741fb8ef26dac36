/**
 * Whom a table of `shared-ruleset` holds for.
 * @module
 */
import type { NetworkOwner } from '../contract.ts'
import type { NetworkSettings } from '../settings.ts'
import { groupKey } from './shared-ruleset.ts'
import { requestLimit } from '../rules/table-sets.ts'

/**
 * From now on it holds for nobody, but for what sockets of processes that have ended still have to
 * send: megabytes each, which would go out at once.
 */
export function vacate(table: string): string {
  const chains = ['output', 'input', 'local', 'requests']
  const emptied = ['admitted4', 'admitted6', 'flows4', 'flows6']
  return [
    ...chains.map((name) => `flush chain ${table} ${name}\n`),
    ...emptied.map((name) => `flush set ${table} ${name}\n`),
    ofGroups(table),
  ].join('')
}

/** From now on a table that holds for nobody holds for a job. */
export function occupy(
  table: string,
  { uid, count, maxConnections }: NetworkOwner,
  { bytesPerSecond }: NetworkSettings,
): string {
  const rule = (chain: string, text: string) => `add rule ${table} ${chain} ${text}\n`
  const uids = count === 1 ? `${uid}` : `${uid}-${uid + count - 1}`
  // Looking for the socket of a packet costs the host some time.
  const looked = bytesPerSecond > 0 ? '' : 'meta l4proto udp '
  return [
    `flush chain ${table} output\n`,
    // The mark is a number that no other job has.
    rule('local', 'fib daddr type != local goto refuse'),
    rule('local', `meta mark set ${uid} accept`),
    rule('input', `meta mark ${uid} goto arrival`),
    rule('input', `iifname != "lo" ${looked}${groupKey} @groups goto incoming`),
    requestLimit(table, maxConnections),
    rule('output', `meta skuid ${uids} goto job`),
    ofGroups(table),
  ].join('')
}

/** What a closed socket still has to send is nobody's, but of its group. */
const ofGroups = (table: string) => `add rule ${table} output ${groupKey} @groups goto job\n`

/**
 * Control groups whose sockets are the job's, too; those before stay, as sockets of them may.
 * @param paths below /sys/fs/cgroup
 */
export function holdGroups(table: string, paths: readonly string[]): string {
  const elements = paths.map((path) => `"${path}"`).join(', ')
  return paths.length > 0 ? `add element ${table} groups { ${elements} }\n` : ''
}
