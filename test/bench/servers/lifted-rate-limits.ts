/**
 * Configuration (TOML) of a bridge that is measured with admission on. Only the rate of calls is
 * lifted, which would be what is measured; the buckets are filled and emptied all the same.
 * @module
 */
export const liftedRateLimits = `
[bridge.limits]
read = { perSecond = 1_000_000, burst = 1_000_000 }
`
