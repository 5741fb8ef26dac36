/**
 * The speed of libsecp256k1 alone on this machine.
 * @module
 */
import type { BenchContext } from '../group.ts'
import { compile } from './programs.ts'

const cpuSeconds = '0.5'
const timeoutMs = 60_000

/** Compiles it; calls return signatures per second of CPU time on the servers' core. */
export async function createSecp256k1Speed(context: BenchContext): Promise<() => Promise<number>> {
  const { processes, placement } = context
  const command = [...placement.server, await compile('secp256k1-speed', context), cpuSeconds]
  return async () => {
    const line = await processes.run(command, timeoutMs)
    return (JSON.parse(line) as { signsPerSecond: number }).signsPerSecond
  }
}
