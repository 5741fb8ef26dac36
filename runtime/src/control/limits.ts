/** Longest grace time of a stop, ms. */
export const maxGraceMs = 600_000
