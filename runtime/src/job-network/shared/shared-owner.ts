/** Scripts that attach a table of `shared-ruleset` to a job, and detach it again. @module */
import type { NetworkOwner } from '../contract.ts'
import type { NetworkSettings } from '../settings.ts'
import { groupKey } from './shared-ruleset.ts'
import { requestLimit } from '../rules/table-sets.ts'

/**
 * Detaches the table from its job. The rules stay for sockets that dead processes left behind: each
 * may still hold megabytes to send, which would otherwise go out unlimited.
 */
export function detachOwner(table: string): string {
  const chains = ['output', 'input', 'local', 'requests']
  const emptied = ['admitted4', 'admitted6', 'flows4', 'flows6']
  return [
    ...chains.map((name) => `flush chain ${table} ${name}\n`),
    ...emptied.map((name) => `flush set ${table} ${name}\n`),
    ofGroups(table),
  ].join('')
}

/** Attaches a free table to a job. */
export function attachOwner(
  table: string,
  { uid, count, maxConnections }: NetworkOwner,
  { bytesPerSecond }: NetworkSettings,
): string {
  const rule = (chain: string, text: string) => `add rule ${table} ${chain} ${text}\n`
  const uids = count === 1 ? `${uid}` : `${uid}-${uid + count - 1}`
  // To look up the socket of a packet costs the host some time.
  const looked = bytesPerSecond > 0 ? '' : 'meta l4proto udp '
  return [
    `flush chain ${table} output\n`,
    // The mark is the job's uid, which no other job has.
    rule('local', 'fib daddr type != local goto refuse'),
    rule('local', `meta mark set ${uid} accept`),
    rule('input', `meta mark ${uid} goto arrival`),
    rule('input', `iifname != "lo" ${looked}${groupKey} @groups goto incoming`),
    requestLimit(table, maxConnections),
    rule('output', `meta skuid ${uids} goto job`),
    ofGroups(table),
  ].join('')
}

/** Packets of a closed socket have no uid any more, but still their control group. */
const ofGroups = (table: string) => `add rule ${table} output ${groupKey} @groups goto job\n`

/**
 * Adds control groups whose sockets are the job's. Earlier groups stay: their sockets may remain.
 * @param paths below /sys/fs/cgroup
 */
export function holdGroups(table: string, paths: readonly string[]): string {
  const elements = paths.map((path) => `"${path}"`).join(', ')
  return paths.length > 0 ? `add element ${table} groups { ${elements} }\n` : ''
}
