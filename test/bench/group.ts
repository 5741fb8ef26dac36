/**
 * A group of measurements, and its context.
 * @module
 */
import type { Placement } from './machine/placement.ts'
import type { Processes } from './machine/processes.ts'
import type { Measured } from './row.ts'

export interface BenchContext {
  rounds: number
  /** Length of one burst. */
  seconds: number
  /** An empty folder for this group, which every user may enter; removed afterwards. */
  folder: string
  processes: Processes
  placement: Placement
  /** Reports progress on stderr. */
  progress: (text: string) => void
}

export interface Group {
  name: string
  /** One line that says what is compared. */
  summary: string
  measure(context: BenchContext): Promise<Measured[]>
}
