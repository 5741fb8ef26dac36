/**
 * Reproducible random bytes: `CAUSEWAY_FUZZ_SEED` repeats those of a failed run.
 * @module
 */
import { createCipheriv, createHash, randomInt, type Cipher } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

const seed = Number(process.env['CAUSEWAY_FUZZ_SEED'] ?? randomInt(2 ** 31))
if (!Number.isSafeInteger(seed)) throw new Error('CAUSEWAY_FUZZ_SEED: expected a whole number')

/** A stream of bytes that depends only on the run's seed and a label. */
export interface RandomSource {
  bytes(length: number): Uint8Array
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number
  /** 32 bytes; one in eight has long runs of zeros and ones, where carries go wrong. */
  word(): Uint8Array
}

export function randomSource(label: string): RandomSource {
  const key = createHash('sha256').update(`${seed} ${label}`).digest()
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const below = (limit: number) => read(stream, 4).readUInt32LE() % limit
  return {
    bytes: (length) => new Uint8Array(read(stream, length)),
    below,
    word: () => new Uint8Array(below(8) === 0 ? runsOfBits(below) : read(stream, 32)),
  }
}

function read(stream: Cipher, length: number): Buffer {
  return stream.update(Buffer.alloc(length))
}

function runsOfBits(below: (limit: number) => number): Buffer {
  let bits = ''
  while (bits.length < 256) bits += String(below(2)).repeat(1 + below(80))
  return Buffer.from(
    BigInt(`0b${bits.slice(0, 256)}`)
      .toString(16)
      .padStart(64, '0'),
    'hex',
  )
}

/**
 * Runs a check for every number below `count`, each in a turn of the event loop, so that vitest
 * hears from its worker; returns the sum of the results. @throws Error that names the failed check
 * and how to repeat it
 */
export async function checkEach(
  label: string,
  count: number,
  check: (random: RandomSource) => number,
): Promise<number> {
  let checked = 0
  for (let index = 0; index < count; index++) {
    try {
      checked += check(randomSource(`${label} ${index}`))
    } catch (cause) {
      const { message } = cause as Error
      throw new Error(`CAUSEWAY_FUZZ_SEED=${seed} repeats it: ${label} ${index}: ${message}`, {
        cause,
      })
    }
    await nextTurn()
  }
  return checked
}
