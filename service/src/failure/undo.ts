/** Undoes what came before, when the work that it was for fails or ends. @module */
import { closeSync } from 'node:fs'

/** Runs `undo` when the work fails, and waits for it; the failure goes on. */
export async function orUndo<T>(work: () => Promise<T> | T, undo: () => unknown): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await undo()
    throw error
  }
}

/** Runs `undo` when the work fails; the failure goes on. */
export function orUndoNow<T>(work: () => T, undo: () => void): T {
  try {
    return work()
  } catch (error) {
    undo()
    throw error
  }
}

/** Waits for the work, then for `clean`, whether or not the work succeeds. */
export async function afterwards<T>(work: Promise<T>, clean: () => Promise<unknown>): Promise<T> {
  try {
    return await work
  } finally {
    await clean()
  }
}

/** Uses a descriptor, and closes it whether or not that succeeds. */
export function closing<T>(fd: number, use: (fd: number) => T): T {
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}
