/** Watches how far another program has read a file that shares its position with ours. @module */
import { readFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { orNone } from '@causeway/service/failure'
import { countProgress, type OnProgress } from '../progress.ts'

/** A watch of one file. */
export interface ReadProgress extends Disposable {
  /** Reports the whole file as read. */
  finish: () => void
}

const intervalMs = 100

/**
 * Reports the file position, shared by all holders of the descriptor, until disposed; the first
 * report comes at once.
 *
 * @param size of the file in bytes
 */
export function watchReading(
  file: FileHandle,
  size: number,
  onProgress: OnProgress | undefined,
): ReadProgress {
  const progress = countProgress('unpack', size, onProgress)
  let seen = 0
  const reach = (position: number) => {
    progress.add(position - seen)
    seen = position
  }
  reach(0)
  const timer = setInterval(() => reach(positionOf(file) ?? seen), intervalMs)
  return {
    finish() {
      reach(size)
      progress.finish()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Undefined where the host hides it: /proc may be closed to a process that hides its memory. */
function positionOf(file: FileHandle): number | undefined {
  const info = orNone(() => readFileSync(`/proc/self/fdinfo/${file.fd}`, 'latin1'))
  return info === undefined ? undefined : Number(/^pos:\s*(\d+)$/m.exec(info)?.[1])
}
