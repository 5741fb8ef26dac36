/** The time limits of a download: one for the whole, one for the longest silence. @module */
import { ImageError } from '../image-error.ts'

/** A signal that aborts with the caller, after the total time or after too long a silence. */
export interface Deadlines {
  signal: AbortSignal
  /** Restarts the silence limit; call it when bytes arrive. */
  touch: () => void
  /** Ends all timers; call it on every path. */
  clear: () => void
}

/**
 * Starts both timers. The signal's reason is the caller's own, or an ImageError
 * IMAGE_DOWNLOAD_FAILED that names the exceeded limit.
 */
export function startDeadlines(
  timeoutMs: number,
  stallTimeoutMs: number,
  outer: AbortSignal | undefined,
): Deadlines {
  const controller = new AbortController()
  const end = (what: string) => () =>
    controller.abort(new ImageError('IMAGE_DOWNLOAD_FAILED', `image download ${what}`))
  const total = setTimeout(end(`took longer than ${timeoutMs} ms`), timeoutMs)
  const stall = setTimeout(end(`stalled: no byte for ${stallTimeoutMs} ms`), stallTimeoutMs)
  return {
    signal: AbortSignal.any(outer === undefined ? [controller.signal] : [controller.signal, outer]),
    touch: () => void stall.refresh(),
    clear() {
      clearTimeout(total)
      clearTimeout(stall)
    },
  }
}
