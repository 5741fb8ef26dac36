/**
 * UDP in the packet rules of both modes: the table's own sets remember flows that were let through.
 * Conntrack would cost every packet of the namespace, TCP's too, and a job could fill its table.
 * SO_REUSEADDR lets UDP sockets share an automatic port, so a port alone is nobody's.
 * @module
 */

export interface UdpFlowsOptions {
  /**
   * Whether a flow may continue only after an answer. Else the flow is remembered while its first
   * datagram waits in a queue, and the second datagram overtakes it.
   */
  goOnAnswered: boolean
  /** Most flows to remember in each family; more are refused. */
  most: number
}

// Equals the time for answered flows in the host's conntrack (host-ruleset).
const flowSeconds = 60

const flow4 = 'ip daddr . udp sport . udp dport'
const flow6 = 'ip6 daddr . udp sport . udp dport'
const answer4 = 'ip saddr . udp dport . udp sport'
const answer6 = 'ip6 saddr . udp dport . udp sport'

/**
 * Sets and chains for a table that has the chains `refuse`, `names`, `begin` and `ongoing`.
 * `remember` accepts a packet and remembers its flow; `datagram` judges outgoing datagrams;
 * `answers` drops datagrams that nobody asked for, and returns for all others.
 */
export function udpFlows({ goOnAnswered, most }: UdpFlowsOptions): string {
  const kinds = goOnAnswered ? ['asked', 'flows'] : ['flows']
  return `${kinds.map((kind) => flowSets(kind, most)).join('\n')}
  chain remember {
    meta l4proto != udp accept
    update @${kinds[0]}4 { ${flow4} } accept
    update @${kinds[0]}6 { ${flow6} } accept
    goto refuse
  }
  chain datagram {
    udp dport 53 ip daddr != @admitted4 goto names
    udp dport 53 ip6 daddr != @admitted6 goto names
    ${flow4} @flows4 update @flows4 { ${flow4} } goto ongoing
    ${flow6} @flows6 update @flows6 { ${flow6} } goto ongoing
    ${oneDatagram}
    goto begin
  }
  chain answers {
    ${laterFragment} return
    ${answer4} @flows4 update @flows4 { ${answer4} } return
    ${answer6} @flows6 update @flows6 { ${answer6} } return
${goOnAnswered ? answered : ''}    drop
  }`
}

// With UDP_SEGMENT a job could send dozens of datagrams as one packet, which would count once.
export const oneDatagram = 'meta length > 1500 goto refuse'

// A later fragment of IPv6 (IPv4 is reassembled before) has no ports; without the first fragment,
// which is judged, it is useless.
const laterFragment = 'frag frag-off != 0'

const answered = `    ${answer4} @asked4 add @flows4 { ${answer4} } return
    ${answer6} @asked6 add @flows6 { ${answer6} } return
`

function flowSets(kind: string, most: number): string {
  const flags = `flags dynamic, timeout; timeout ${flowSeconds}s; size ${most};`
  return `  set ${kind}4 { type ipv4_addr . inet_service . inet_service; ${flags} }
  set ${kind}6 { type ipv6_addr . inet_service . inet_service; ${flags} }`
}
