/**
 * The packet rules of one deployment in the host's own network namespace.
 *
 * The socket's uid identifies what a job sends. On the loopback, a mark identifies the sender, and
 * the socket's control group the receiver. runtime/docs/network.md ("What is a shared network?")
 * says why.
 * @module
 */
import type { EgressPolicy } from '@causeway/service/egress'
import { byteLimit, over, refusal } from '../rules/ruleset.ts'
import type { NetworkSettings } from '../settings.ts'
import { countersAndSets } from '../rules/table-sets.ts'
import { oneDatagram, udpFlows } from '../rules/udp-flows.ts'

export interface SharedOptions {
  settings: NetworkSettings
  policy: EgressPolicy
  /** Most control groups that are attached to a table before another one replaces it. */
  mostGroups?: number
}

/** A whole table that is not attached to a job. @param table its family and name */
export function sharedTable(table: string, options: SharedOptions): string {
  return `table ${table} {
${countersAndSets(options.policy)}
  set groups { typeof ${groupKey}; }
${verdicts(options)}
${judgement}
${arrivals(options)}
}
`
}

const mostFlows = 65_536
// A job's group is `causeway/NAME`, as `cgroup` makes it.
export const groupKey = 'socket cgroupv2 level 2'

/** The chains that decide about a packet once `judgement` has classified it. */
function verdicts({ settings }: SharedOptions): string {
  const { connectionsPerSecond, connectionBurst, dnsPerSecond, dnsBurst } = settings
  return `  chain refuse {
    counter name refused
${refusal}
  }
  chain requests {}
  chain ongoing {
    ip daddr @admitted4 accept
    ip6 daddr @admitted6 accept
${byteLimit(settings)}
    accept
  }
  chain names {
    ${oneDatagram}
    ${over(dnsPerSecond, dnsBurst)} counter name limited drop
    goto remember
  }
  chain admitted {
    jump requests
    counter name admitted
    goto remember
  }
  chain begin {
    ip daddr @admitted4 goto admitted
    ip6 daddr @admitted6 goto admitted
    ${over(connectionsPerSecond, connectionBurst)} counter name limited drop
    jump requests
    goto remember
  }
${udpFlows({ goOnAnswered: false, most: mostFlows })}`
}

// IP options and routing headers can send a packet on from its apparent destination. From outside,
// where a job's ports would be the host's, nobody may connect to a job: it answers no SYN, and only
// datagrams that are answers come in.
const judgement = `  chain local {}
  chain job {
    ip hdrlength > 5 goto refuse
    exthdr rt exists goto refuse
    oifname "lo" goto local
    tcp flags & (syn | ack) == syn | ack drop
    tcp flags & (syn | ack) != syn goto ongoing
    fib daddr type != unicast goto refuse
    ip daddr @refused4 ip daddr != @opened4 goto refuse
    ip6 daddr @refused6 ip6 daddr != @opened6 goto refuse
    meta l4proto udp goto datagram
    goto begin
  }
  chain output { type filter hook output priority filter; policy accept; }`

/** Refuses as if nobody listened there, so that a job does not learn which ports are open. */
function arrivals({ settings }: SharedOptions): string {
  return `  chain arrival {
    tcp flags & (syn | ack) != syn accept
    ${groupKey} @groups accept
    icmp type echo-request accept
    icmpv6 type echo-request accept
    counter name refused
    meta l4proto tcp reject with tcp reset
    reject with icmpx port-unreachable
  }
  chain incoming {
    meta l4proto udp jump answers
    ip saddr @admitted4 accept
    ip6 saddr @admitted6 accept
${byteLimit(settings)}
  }
  chain input { type filter hook input priority filter; policy accept; }`
}
