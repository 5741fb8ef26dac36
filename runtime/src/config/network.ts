/**
 * The section `network` of the configuration file.
 * @module
 */
import * as v from 'valibot'
import { count, maxCount } from './fields.ts'
import { parseResolver } from '../dns/resolver.ts'
import { parseNet } from '../egress/egress-policy.ts'
import { leastBytesPerSecond, longestBurstSeconds, mostBytes } from '../job-network/settings.ts'

export const networkModes = ['auto', 'isolated', 'shared'] as const
export const networkEnforcements = ['auto', 'required'] as const

/** What each limit stops stands in `NetworkSettings`. */
export const networkSection = v.pipe(
  v.strictObject({
    /** `auto`: isolated where this host can, else shared, else nothing is enforced. */
    mode: v.optional(
      v.picklist(networkModes, `expected one of ${networkModes.join(', ')}`),
      'auto',
    ),
    /** `required`: refuses to run jobs where something of it cannot be enforced. */
    enforce: v.optional(
      v.picklist(networkEnforcements, `expected one of ${networkEnforcements.join(', ')}`),
      'auto',
    ),
    connectionsPerSecond: count(1, 100_000, 10),
    connectionBurst: count(1, maxCount, 20),
    /** 0: not limited. */
    bytesPerSecond: v.pipe(
      count(0, mostBytes, 12_500_000),
      v.check(
        (rate) => rate === 0 || rate >= leastBytesPerSecond,
        `expected 0 or at least ${leastBytesPerSecond}`,
      ),
    ),
    byteBurst: count(64 * 1024, mostBytes, 25_000_000),
    dnsPerSecond: count(1, 100_000, 50),
    dnsBurst: count(1, maxCount, 100),
    /** Networks that are not public and jobs may reach all the same: ADDRESS or ADDRESS/PREFIX. */
    allow: v.optional(v.array(text(parseNet)), []),
    /** DNS servers that `network_whitelist` asks; none: those of this host. */
    resolvers: v.optional(
      v.pipe(v.array(text(parseResolver)), v.maxLength(3, 'expected at most 3')),
      [],
    ),
  }),
  v.forward(
    v.partialCheck(
      [['connectionBurst'], ['connectionsPerSecond']],
      ({ connectionBurst, connectionsPerSecond }) =>
        connectionBurst <= longestBurstSeconds * connectionsPerSecond,
      `expected at most ${longestBurstSeconds} times connectionsPerSecond`,
    ),
    ['connectionBurst'],
  ),
  v.forward(
    v.partialCheck(
      [['dnsBurst'], ['dnsPerSecond']],
      ({ dnsBurst, dnsPerSecond }) => dnsBurst <= longestBurstSeconds * dnsPerSecond,
      `expected at most ${longestBurstSeconds} times dnsPerSecond`,
    ),
    ['dnsBurst'],
  ),
  v.forward(
    v.partialCheck(
      [['byteBurst'], ['bytesPerSecond']],
      ({ byteBurst, bytesPerSecond }) => byteBurst >= bytesPerSecond,
      'expected at least bytesPerSecond',
    ),
    ['byteBurst'],
  ),
)

/** What a parser takes, as it was written. */
function text(parse: (value: string) => unknown) {
  return v.pipe(
    v.string(),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      try {
        parse(dataset.value)
      } catch (error) {
        addIssue({ message: (error as Error).message })
      }
    }),
  )
}
