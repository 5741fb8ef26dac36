/**
 * Which processor a job stays on.
 * @module
 */
import { readFileSync } from 'node:fs'
import type { SandboxSettings } from '../settings.ts'
import type { Proot } from './proot.ts'

/**
 * One for a PRoot that stops its guest at every system call: on the same processor that costs a
 * third to an eighth. Jobs are spread over those that this process may use.
 * @param turn differs from job to job
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

/** The numbers of `Cpus_allowed_list` (proc(5)): `0-3,8`. */
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
