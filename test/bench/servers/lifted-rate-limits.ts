/**
 * Configuration (TOML) of a bridge that is measured with admission on. It raises only the rate
 * limit of calls, to the maximum: otherwise the limit would be measured. The trivial call is of
 * class `read` and too short to count as more than one; its bucket is still filled and emptied.
 * @module
 */
export const liftedRateLimits = `
[bridge.limits]
read = { perSecond = 1_000_000, burst = 1_000_000 }
`
