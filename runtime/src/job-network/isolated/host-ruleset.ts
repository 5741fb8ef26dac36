/**
 * The host's packet rules for isolated networks. They match interfaces by prefix, so every process
 * writes the same rules.
 * @module
 */
import type { Family } from '@causeway/service/egress'
import { refusal, tableName } from '../rules/ruleset.ts'
import { hostPrefix, jobNets } from './veth.ts'

const ours = `"${hostPrefix}*"`

/** Name of a chain that exists only if the host did not forward before we turned that on. */
export const closedChain = (family: Family) => `closed_${family}`

// The host's conntrack remembers every connection that it forwards, and nobody closes those that
// end with a network. Its default for idle connections, five days, would fill its memory.
const establishedSeconds = 7500
const answeredSeconds = 60

const timeout = (
  protocol: string,
  family: string,
  policy: string,
) => `  ct timeout ${protocol}_${family} {
    protocol ${protocol}
    l3proto ${family}
    policy = { ${policy} }
  }`

const timeouts = [
  ...['ip', 'ip6'].map((family) => timeout('tcp', family, `established : ${establishedSeconds}`)),
  ...['ip', 'ip6'].map((family) => timeout('udp', family, `replied : ${answeredSeconds}`)),
  `  chain forget_soon {
    meta nfproto ipv4 meta l4proto tcp ct timeout set "tcp_ip"
    meta nfproto ipv6 meta l4proto tcp ct timeout set "tcp_ip6"
    meta nfproto ipv4 meta l4proto udp ct timeout set "udp_ip"
    meta nfproto ipv6 meta l4proto udp ct timeout set "udp_ip6"
  }`,
].join('\n')

/**
 * A script that makes the whole table, in place of an existing one.
 * @param closed families for which the host forwards for jobs only
 */
export function hostRuleset(closed: readonly Family[]): string {
  const chains = closed.map((family) => {
    return `  chain ${closedChain(family)} { meta nfproto ${family} drop; }\n`
  })
  const jumps = closed.map((family) => `    jump ${closedChain(family)}\n`)
  return `add table ${tableName}
delete table ${tableName}
table ${tableName} {
${chains.join('')}  chain refuse {
${refusal}
  }
${timeouts}
  chain begin {
    type filter hook prerouting priority filter - 10; policy accept;
    iifname ${ours} ct state new jump forget_soon
  }
  chain input {
    type filter hook input priority filter - 10; policy accept;
    iifname != ${ours} accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    ct state established,related accept
    goto refuse
  }
  chain outbound {
    # A job may fake its source. And the job's rules have not judged the address to which the host
    # redirects packets for its published ports.
    fib saddr . iif oif missing drop
    ct status dnat goto refuse
    oifname ${ours} goto refuse
    accept
  }
  chain forward {
    type filter hook forward priority filter - 10; policy accept;
    iifname ${ours} goto outbound
    oifname ${ours} ct state established,related accept
    oifname ${ours} drop
${jumps.join('')}  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${jobNets.ipv4} oifname != ${ours} masquerade
    ip6 saddr ${jobNets.ipv6} oifname != ${ours} masquerade
  }
}
`
}
