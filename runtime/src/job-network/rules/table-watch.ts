/** Notices when somebody removes a table of ours from the host's packet rules. @module */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { startMonitor } from '../program.ts'
import { tableName } from './ruleset.ts'

export interface TableWatch {
  close(): Promise<void>
}

const restartMs = 1_000

/**
 * @param onGone called when a table was removed or replaced, and when the watch may have missed
 *   that. Must not throw
 */
export function watchTables(onGone: () => Promise<void>): TableWatch {
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let working: Promise<void> | undefined
  let isAsked = false

  /** A removal during a check causes one more check. */
  const gone = () => {
    if (isOver) return
    isAsked = true
    working ??= look().finally(() => (working = undefined))
  }
  const look = async () => {
    while (isAsked) {
      isAsked = false
      await onGone()
    }
  }
  /** Changes made while the monitor was down were missed, so check once after restarting it. */
  const startAgain = () => {
    if (isOver) return
    timer = setTimeout(() => void watch().then(gone), restartMs).unref()
  }

  async function watch(): Promise<void> {
    try {
      child = await startMonitor(['destroy', 'tables'])
    } catch {
      return startAgain()
    }
    if (isOver) return void child.kill('SIGKILL')
    // Neither the monitor nor its pipe keeps this process alive.
    child.unref()
    ;(child.stdout as Socket).unref()
    const lines = createInterface({ input: child.stdout! })
    lines.on('line', (line) => {
      if (line.startsWith(`delete table ${tableName}`)) gone()
    })
    child.once('exit', startAgain)
  }

  const started = watch()
  return {
    async close() {
      isOver = true
      clearTimeout(timer)
      await started
      if (child && child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.ref()
        child.kill('SIGKILL')
        await ended
      }
      await working
    },
  }
}
