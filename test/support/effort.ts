/**
 * How often tests repeat what is the same each time but for its random numbers: a little in every
 * run, each with a seed of its own, and much under `npm run test:long`.
 * @module
 */
const effort = process.env['CAUSEWAY_TEST_EFFORT'] ?? 'short'
if (effort !== 'short' && effort !== 'long') {
  throw new Error(`CAUSEWAY_TEST_EFFORT: expected short or long, found ${effort}`)
}

/** Whether everything that takes long is wanted. */
export const isLong = effort === 'long'

export const times = (counts: { short: number; long: number }): number => counts[effort]

/** As it is read. */
export const grouped = (count: number): string => count.toLocaleString('en-US')
