/**
 * Progress events, the same shape for every step of an image's life.
 *
 * @module
 */

/** One report; `bytes` of `totalBytes` (absent when unknown) are done in this phase. */
export interface ImageProgress {
  /** `download` and `verify` count archive bytes, `unpack` archive bytes read, `build` none. */
  phase: 'download' | 'verify' | 'unpack' | 'build'
  bytes?: number
  totalBytes?: number
  /** Files, folders and links made, once that is known. */
  entries?: number
  /** Of `bytes`, those that an earlier transfer had left. */
  resumedBytes?: number
  /** What is being done, for a person. */
  detail?: string
}

/** Receives reports; called synchronously, must not throw. */
export type OnProgress = (progress: ImageProgress) => void

/** Where a byte count is reported to. */
export interface ByteProgress {
  /** Adds to the count; reports at most ten times a second. */
  add: (bytes: number) => void
  /** Reports the final count. */
  finish: () => void
}

/**
 * Reports a running byte count of `phase` to `onProgress`, throttled to one report per 100 ms.
 *
 * @param resumedBytes where the count begins
 */
export function countProgress(
  phase: ImageProgress['phase'],
  totalBytes: number | undefined,
  onProgress: OnProgress | undefined,
  resumedBytes = 0,
): ByteProgress {
  let bytes = resumedBytes
  let reportedAt = 0
  const known = {
    ...(totalBytes === undefined ? {} : { totalBytes }),
    ...(resumedBytes === 0 ? {} : { resumedBytes }),
  }
  const report = () => {
    reportedAt = Date.now()
    onProgress?.({ phase, bytes, ...known })
  }
  return {
    add(count) {
      bytes += count
      if (Date.now() - reportedAt >= 100) report()
    },
    finish: report,
  }
}
