/** The section `bridge` of the configuration file. @module */
import * as v from 'valibot'
import { compareLevels, implementedLevel } from './level.ts'
import { defaultLimits, type ClassLimits } from './limits/limits.ts'
import { count, maxBytes, maxCount, maxMs } from '@causeway/service/config'

const classLimits = (defaults: ClassLimits) =>
  v.optional(
    v.strictObject({
      perSecond: count(1, maxCount, defaults.perSecond),
      burst: count(1, maxCount, defaults.burst),
      deadlineMs: count(1, maxMs, defaults.deadlineMs),
    }),
    {},
  )

/** `BridgeLimits` says which attack each limit stops. */
const limits = v.pipe(
  v.strictObject({
    maxLineBytes: count(1024, 64 * 1024 * 1024, defaultLimits.maxLineBytes),
    maxStructure: count(64, maxCount, defaultLimits.maxStructure),
    lineTimeoutMs: count(1, maxMs, defaultLimits.lineTimeoutMs),
    maxConnections: count(1, maxCount, defaultLimits.maxConnections),
    maxInFlight: count(1, maxCount, defaultLimits.maxInFlight),
    maxBufferedBytes: count(1024, maxBytes, defaultLimits.maxBufferedBytes),
    sendTimeoutMs: count(1, maxMs, defaultLimits.sendTimeoutMs),
    maxDrainBytes: count(0, maxBytes, defaultLimits.maxDrainBytes),
    drainTimeoutMs: count(0, maxMs, defaultLimits.drainTimeoutMs),
    read: classLimits(defaultLimits.read),
    key: classLimits(defaultLimits.key),
    network: classLimits(defaultLimits.network),
  }),
  v.forward(
    v.partialCheck(
      [['maxLineBytes'], ['maxBufferedBytes']],
      ({ maxLineBytes, maxBufferedBytes }) => maxLineBytes <= maxBufferedBytes,
      'expected at most maxBufferedBytes, or such a line could never come whole',
    ),
    ['maxLineBytes'],
  ),
)

/** `major.minor.patch`, at most {@link implementedLevel}. */
const level = v.pipe(
  v.string(),
  v.regex(/^\d+\.\d+\.\d+$/, 'expected major.minor.patch'),
  v.check(
    (value) => compareLevels(value, implementedLevel) <= 0,
    `expected at most ${implementedLevel}, the level this version implements`,
  ),
)

export const bridgeSettings = v.strictObject({
  /** Bridge level answered by `processor_version`; methods above it are not served. */
  level: v.optional(level, implementedLevel),
  limits: v.optional(limits, {}),
})
