/** Picks the CPU to which a job is pinned. @module */
import { readFileSync } from 'node:fs'
import type { SandboxSettings } from '../settings.ts'
import type { Proot } from './proot.ts'

/**
 * Pins the job to one CPU when PRoot stops it at every system call: on one CPU a stop is 3 to 8
 * times cheaper. Jobs are spread over the CPUs that this process may use.
 * @param turn a number that differs from job to job
 */
export function pickCpu(
  setting: SandboxSettings['cpuPinning'],
  proot: Pick<Proot, 'isAccelerated'> | undefined,
  turn: number,
): { cpu?: number } {
  if (setting === 'off' || !proot || proot.isAccelerated) return {}
  const cpus = parseCpus(readFileSync('/proc/self/status', 'utf8'))
  const cpu = cpus[turn % cpus.length]
  return cpu === undefined ? {} : { cpu }
}

/** The CPU numbers in `Cpus_allowed_list` (proc(5)), such as `0-3,8`. */
export function parseCpus(status: string): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? ''
  return list
    .split(',')
    .filter(Boolean)
    .flatMap((part) => {
      const [first = NaN, last = first] = part.split('-').map(Number)
      return Number.isNaN(first)
        ? []
        : Array.from({ length: last - first + 1 }, (_, at) => first + at)
    })
}
