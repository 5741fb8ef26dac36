/**
 * The packet rules in a job's network namespace.
 *
 * Jobs cannot change them: the namespace belongs to the host's root. They judge TCP by its SYN,
 * which without raw sockets only connect(2) sends, UDP by flows, and each packet of any other
 * protocol as a connection. They avoid conntrack, whose hooks every packet would pass.
 * @module
 */
import type { EgressPolicy } from '@causeway/service/egress'
import { possibleByteBurst, type NetworkSettings } from '../settings.ts'
import { classOf, type Queues } from '../isolated/rate-queues.ts'
import { countersAndSets, requestLimit as requestLimitOf } from './table-sets.ts'
import { oneDatagram, udpFlows } from './udp-flows.ts'

export interface RulesetOptions {
  settings: NetworkSettings
  policy: EgressPolicy
  /** Queues in which packets over a rate wait; undefined: such packets are dropped. */
  queues: Queues | undefined
}

export const tableName = 'inet causeway'

/**
 * A refusal that the caller sees at once. An ICMPv6 error that arrives while connect(2) still holds
 * the socket is only noticed with the next try, a second later; a reset is noticed at once.
 */
export const refusal = `    meta nfproto ipv6 meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited`

// Messages of the kernel itself to its neighbours; a job can send only echo requests.
const kernelsOwn =
  'nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit, mld-listener-report, mld2-listener-report'

/** The whole table, for a namespace without rules. */
export function ruleset(options: RulesetOptions): string {
  return `table ${tableName} {
${countersAndSets(options.policy)}
${verdicts(options)}
${judgement}
${arrivals(options)}
}
`
}

// One job must not fill the host's conntrack table, which NAT needs.
const mostFlows = 16_384

/** The chains that decide about a packet once `judgement` has classified it. */
function verdicts(options: RulesetOptions): string {
  return `  chain refuse {
    counter name refused
${refusal}
  }
  chain requests {}
  chain admitted {
    jump requests
    counter name admitted
    goto remember
  }
  chain ongoing {
    ip daddr @admitted4 accept
    ip6 daddr @admitted6 accept
${ongoingRules(options)}
  }
  chain names {
    ${oneDatagram}
${nameRules(options)}
  }
  chain begin {
    ip daddr @admitted4 goto admitted
    ip6 daddr @admitted6 goto admitted
${beginRules(options)}
  }
${udpFlows({ goOnAnswered: true, most: mostFlows })}`
}

// ICMP errors are the kernel's answers to incoming packets, not connections of the job.
const judgement = `  chain output {
    type filter hook output priority filter; policy drop;
    oif "lo" accept
    ip hdrlength > 5 goto refuse
    exthdr rt exists goto refuse
    tcp flags & (syn | ack) != syn goto ongoing
    icmpv6 type { ${kernelsOwn} } accept
    ip daddr @refused4 ip daddr != @opened4 goto refuse
    ip6 daddr @refused6 ip6 daddr != @opened6 goto refuse
    meta l4proto tcp goto begin
    meta l4proto udp goto datagram
    icmp type { destination-unreachable, time-exceeded, parameter-problem } goto ongoing
    icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem } goto ongoing
    goto begin
  }`

// The host forwards only answers to the job, but its own packets arrive here, too.
function arrivals({ settings }: RulesetOptions): string {
  return `  chain other {
    icmpv6 type { ${kernelsOwn} } accept
    icmp type echo-request drop
    icmpv6 type echo-request drop
    meta l4proto udp goto answers
  }
  chain input {
    type filter hook input priority filter; policy accept;
    iif "lo" accept
    tcp flags & (syn | ack) == syn drop
    meta l4proto != tcp jump other
    ip saddr @admitted4 accept
    ip6 saddr @admitted6 accept
${byteLimit(settings)}
  }`
}

/** Forgets admitted addresses and UDP flows, for another execution. */
export const nothingAdmitted = ['admitted', 'asked', 'flows']
  .flatMap((name) => [`${name}4`, `${name}6`])
  .map((name) => `flush set ${tableName} ${name}\n`)
  .join('')

/** Limits new connections, counted from now on. @param most 0: no limit */
export const requestLimit = (most: number) => requestLimitOf(tableName, most)

/** @param unit of the rate, default packets */
export const over = (rate: number, burst: number, unit = '') =>
  `limit rate over ${rate}${unit}/second burst ${burst} ${unit.trim() || 'packets'}`

function beginRules({ settings, queues }: RulesetOptions): string {
  const { connectionsPerSecond: rate, connectionBurst: burst } = settings
  // With queues, the rate only counts the connections that have to wait.
  const verdict = queues ? '' : ' drop'
  return `    ${over(rate, burst)} counter name limited${verdict}
    jump requests
    ${queues ? into('begin') : ''}goto remember`
}

function nameRules({ settings: { dnsPerSecond, dnsBurst }, queues }: RulesetOptions): string {
  if (queues) return `    ${into('names')}goto remember`
  return `    ${over(dnsPerSecond, dnsBurst)} counter name limited drop\n    goto remember`
}

function ongoingRules({ settings, queues }: RulesetOptions): string {
  if (settings.bytesPerSecond === 0) return '    accept'
  return queues ? `    ${into('bytes')}accept` : `${byteLimit(settings)}\n    accept`
}

/** Drops packets over the limit: incoming ones cannot wait, and TCP slows down after losses. */
export function byteLimit(settings: NetworkSettings): string {
  const { bytesPerSecond } = settings
  if (bytesPerSecond === 0) return ''
  // For bytes, unlike packets, the kernel allows a second's worth in addition to the burst.
  return `    ${over(bytesPerSecond, possibleByteBurst(settings) - bytesPerSecond, ' bytes')} drop`
}

const into = (queue: keyof Queues) => `meta priority set ${classOf[queue]} `
