/**
 * Runs one group, from its empty folder to its rows, and leaves nothing behind.
 * @module
 */
import { mkdtemp, rm, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Group } from './group.ts'
import { findPlacement } from './machine/placement.ts'
import { createProcesses } from './machine/processes.ts'
import { toRow, type Row } from './row.ts'

export interface RunOptions {
  rounds: number
  seconds: number
  progress: (text: string) => void
  /** Ends the group at once, and kills its processes. */
  signal: AbortSignal
}

export async function runGroup(group: Group, options: RunOptions): Promise<Row[]> {
  const { rounds, seconds, progress, signal } = options
  signal.throwIfAborted()
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'))
  // Jobs run as other users, who must enter it.
  await chmod(folder, 0o755)
  const processes = createProcesses()
  process.once('exit', processes.killAll)
  const placement = findPlacement()
  const context = { rounds, seconds, folder, processes, placement, progress }
  try {
    const measured = await Promise.race([group.measure(context), aborted(signal)])
    return measured.map((one) => toRow(group.name, withRemark(one, placement.remark)))
  } finally {
    await processes.stopAll()
    process.off('exit', processes.killAll)
    await rm(folder, { recursive: true, force: true })
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

function withRemark<T extends { remark?: string }>(measured: T, remark: string | undefined): T {
  const texts = [measured.remark, remark].filter((text) => text !== undefined)
  return texts.length === 0 ? measured : { ...measured, remark: texts.join('; ') }
}
