/**
 * The clock over a download: a total time and a longest silence.
 *
 * @module
 */
import { ImageError } from '../image-error.ts'

/** A signal that aborts for the caller, for the total time, or after a silence. */
export interface Deadlines {
  signal: AbortSignal
  /** Something arrived: the silence starts over. */
  touch: () => void
  /** Ends all timers; call it on every path. */
  clear: () => void
}

/**
 * Starts both clocks. The signal's reason is the caller's own, or an ImageError
 * IMAGE_DOWNLOAD_FAILED that says which limit passed.
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
