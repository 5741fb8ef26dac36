/**
 * Ways by which a job might bypass the limits of its network; none needs a privilege.
 * @module
 */
import { publicAddress, publicAddress6 } from './network-lab.ts'

export interface Attempt {
  name: string
  /** The command, with the placeholders ADDRESS and PORT. */
  options: string
  isV6?: boolean
  port?: number
  /** Whether it is possible that no packet arrives. */
  isRefused?: boolean
}

const tcp = (options: string, count = 40) =>
  `tcp ADDRESS PORT --count=${count} --ms=1000 ${options}`
const udp = (options: string, count = 40) => `udp ADDRESS PORT --count=${count} --ms=800 ${options}`

/** Each starts with a full bucket, and sends in a second four times as much as the bucket holds. */
export const attempts: readonly Attempt[] = [
  { name: 'raw-calls', options: tcp('--raw') },
  { name: 'raw-calls-v6', options: tcp('--raw'), isV6: true },
  { name: 'half-open', options: tcp('--abandon', 80) },
  { name: 'source-ports', options: tcp('--source-ports', 200).replace('--ms=1000', '--ms=5500') },
  { name: 'processes', options: tcp('--processes=20', 10).replace('--ms=1000', '--ms=5500') },
  { name: 'fast-open', options: tcp('--fast-open') },
  { name: 'fast-open-v6', options: tcp('--fast-open'), isV6: true },
  { name: 'multipath', options: tcp('--protocol=262'), isRefused: true },
  { name: 'priority', options: tcp('--priority=6') },
  { name: 'routing-header', options: tcp('--routing-header'), isV6: true, isRefused: true },
  { name: 'names-by-tcp', options: tcp(''), port: 53 },
  { name: 'connected', options: udp('--connected') },
  { name: 'connected-v6', options: udp('--connected'), isV6: true },
  { name: 'unconnected', options: udp('') },
  { name: 'unconnected-v6', options: udp(''), isV6: true },
  { name: 'sendmmsg', options: udp('--many') },
  { name: 'fragments', options: udp('--connected --bytes=4000'), isRefused: true },
  { name: 'udp-lite', options: udp('--connected --protocol=136'), isRefused: true },
  {
    name: 'udp-routing-header',
    options: udp('--connected --routing-header'),
    isV6: true,
    isRefused: true,
  },
  { name: 'udp-priority', options: udp('--connected --priority=6') },
  { name: 'echo-requests', options: udp('--connected --protocol=1 --bytes=8'), isRefused: true },
  {
    name: 'echo-requests-v6',
    options: udp('--connected --protocol=58 --bytes=8'),
    isV6: true,
    isRefused: true,
  },
  { name: 'names', options: udp('--connected', 80), port: 53 },
  { name: 'names-v6', options: udp('--connected', 80), isV6: true, port: 53 },
  { name: 'names-in-one-flow', options: udp('--one-flow', 80), port: 53 },
  {
    name: 'names-in-segments',
    options: udp('--one-flow --bytes=6400 --segment=100'),
    port: 53,
    isRefused: true,
  },
  { name: 'new-sockets', options: tcp('--again=300') },
]

/** One address per attempt, so that an arrival shows which attempt sent it. */
export const addressOf = ({ isV6 }: Attempt, index: number) =>
  isV6 ? publicAddress6(100 + index) : publicAddress(100 + index)
