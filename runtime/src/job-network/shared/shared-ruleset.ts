/**
 * The packet rules of one deployment in the host's own network namespace.
 *
 * What a job sends is known by the uid of its sockets, and judged without conntrack, which would
 * cost every packet of the host and whose table a job could fill: TCP by its SYN, UDP by a set of
 * flows of the table's own (`udp-flows`), each packet of any other protocol as a connection of its own.
 *
 * What arrives on the host's loopback is known by a mark of who sent it and by the control group of
 * the socket that would get it: no reply could tell in time whose that is, for a datagram is read
 * before there is one.
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
  /** How many control groups a table holds for before another takes its place. */
  mostGroups?: number
}

/** All of a table that holds for nobody yet. @param table its family and name */
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
// Of `causeway/NAME`, as `sandbox/cgroup` makes them.
export const groupKey = 'socket cgroupv2 level 2'

/** What becomes of a packet once it is known what it is. */
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

// Options and routing headers send a packet on from where it seems to go. Nobody connects to a job
// from outside, where its ports would be the host's: no SYN is answered, no datagram but an answer
// comes in.
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

/** Refused as if nobody listened there, so that a job does not learn who does. */
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
