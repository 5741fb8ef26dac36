/** The counters and sets in the packet rules of both modes. @module */
import type { EgressPolicy } from '@causeway/service/egress'

/** Declarations to put inside a table. */
export function countersAndSets({ refused, opened }: EgressPolicy): string {
  return `  counter admitted {}
  counter limited {}
  counter refused {}
  set admitted4 { type ipv4_addr; flags timeout; }
  set admitted6 { type ipv6_addr; flags timeout; }
${addressSet('refused4', 'ipv4_addr', refused.ipv4)}
${addressSet('refused6', 'ipv6_addr', refused.ipv6)}
${addressSet('opened4', 'ipv4_addr', opened.ipv4)}
${addressSet('opened6', 'ipv6_addr', opened.ipv6)}
  set spent { type nf_proto; size 2; flags dynamic; }`
}

function addressSet(name: string, type: string, nets: readonly string[]): string {
  const elements = nets.length === 0 ? '' : ` elements = { ${nets.join(', ')} };`
  return `  set ${name} { type ${type}; flags interval; auto-merge;${elements} }`
}

// Counts packets up from 0; the kernel has no other counter that a rule can compare.
const numberOfRequest = 'numgen inc mod 4294967295'

/**
 * Limits new connections, counted from now on. A job that is refused fast makes the counter wrap
 * at 2^32 within hours: so the set `spent` stops the counter once the limit is reached.
 * @param table its family and name
 * @param most 0: no limit
 */
export function requestLimit(table: string, most: number): string {
  const rules = [
    'meta nfproto @spent goto refuse',
    `${numberOfRequest} >= ${most} add @spent { meta nfproto } goto refuse`,
  ]
  const added = rules.map((rule) => `add rule ${table} requests ${rule}\n`)
  const emptied = `flush chain ${table} requests\nflush set ${table} spent\n`
  return emptied + (most > 0 ? added.join('') : '')
}
