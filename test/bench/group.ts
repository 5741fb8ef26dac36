/**
 * A group of measurements, and what it is given.
 * @module
 */
import type { Placement } from './machine/placement.ts'
import type { Processes } from './machine/processes.ts'
import type { Measured } from './row.ts'

export interface BenchContext {
  rounds: number
  /** Length of one burst. */
  seconds: number
  /** Empty, this group's own, gone afterwards; every user may enter it. */
  folder: string
  processes: Processes
  placement: Placement
  /** Says on stderr what goes on. */
  progress: (text: string) => void
}

export interface Group {
  name: string
  /** What is compared with what, in a line. */
  summary: string
  measure(context: BenchContext): Promise<Measured[]>
}
