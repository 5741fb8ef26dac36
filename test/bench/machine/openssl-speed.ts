/**
 * The speed of OpenSSL's own commands on this machine.
 * @module
 */
import type { BenchContext } from '../group.ts'

// The output line of `-mr` for an algorithm: number, bits, operations per second. Signing comes
// before verifying.
const patterns = {
  ecdsap256: /^\+F4:\d+:256:([\d.]+):/m,
  ecdhp256: /^\+F5:\d+:256:([\d.]+):/m,
  ed25519: /^\+F6:\d+:253:[^:]*:([\d.]+):/m,
}

export type OpensslAlgorithm = keyof typeof patterns

// A signing algorithm takes two such periods: one to sign, one to verify.
const secondsEach = 1
const timeoutMs = 60_000

/** Operations per second of CPU time, by `openssl speed` on the servers' core. @throws Error */
export async function opensslSpeed(
  algorithm: OpensslAlgorithm,
  { processes, placement }: Pick<BenchContext, 'processes' | 'placement'>,
): Promise<number> {
  const command = ['openssl', 'speed', '-seconds', String(secondsEach), '-mr', algorithm]
  return parseSpeed(algorithm, await processes.run([...placement.server, ...command], timeoutMs))
}

/** @throws Error for the output of another OpenSSL */
export function parseSpeed(algorithm: OpensslAlgorithm, output: string): number {
  const speed = Number(patterns[algorithm].exec(output)?.[1])
  if (speed > 0) return speed
  throw new Error(`openssl speed ${algorithm}: expected operations a second, found ${output}`)
}
