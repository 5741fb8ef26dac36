/**
 * One seed for all fuzz tests of a run: random, or `CAUSEWAY_FUZZ_SEED` to see a failure again.
 * @module
 */
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { times } from '../../support/effort.ts'

/** Cases of all fuzz tests together; each takes its share. */
const cases = positive('CAUSEWAY_FUZZ_RUNS') ?? times({ short: 40_000, long: 160_000 })

const seed = positive('CAUSEWAY_FUZZ_SEED') ?? randomInt(2 ** 31)

/**
 * Checks a property of every line, which throws where it does not hold.
 * @param share part of all cases, 0 to 1
 */
export async function checkLines<T>(
  arbitrary: fc.Arbitrary<T>,
  share: number,
  check: (value: T) => Promise<unknown>,
): Promise<void> {
  const numRuns = Math.ceil(cases * share)
  try {
    const holds = async (value: T) => void (await check(value))
    await fc.assert(fc.asyncProperty(arbitrary, holds), { seed, numRuns })
  } catch (cause) {
    const { message } = cause as Error
    // A counterexample may be half a megabyte long; the seed gives it back whole.
    throw new Error(`CAUSEWAY_FUZZ_SEED=${seed} shows it again. ${message.slice(0, 4000)}`)
  }
}

function positive(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined) return undefined
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new Error(`${name}: expected a whole number, found ${text}`)
}
