/**
 * Configuration (TOML) of a bridge that is measured with admission on. Only the rate of calls is
 * lifted, to the most that can be set: it would be what is measured. The trivial call is of class
 * `read` and far too short to count as more than one; its bucket is filled and emptied all the same.
 * @module
 */
export const liftedRateLimits = `
[bridge.limits]
read = { perSecond = 1_000_000, burst = 1_000_000 }
`
