/** Progress reports, the same shape for fetching, unpacking and building. @module */

/** One report: `bytes` of `totalBytes` (absent when unknown) are done in this phase. */
export interface ImageProgress {
  /** `download`, `verify` and `unpack` count bytes of the archive, `build` counts none. */
  phase: 'download' | 'verify' | 'unpack' | 'build'
  bytes?: number
  totalBytes?: number
  /** Number of files, folders and links created; absent until known. */
  entries?: number
  /** How many of `bytes` an earlier transfer left. */
  resumedBytes?: number
  /** The current step, for a person. */
  detail?: string
}

/** Receives reports; it is called synchronously and must not throw. */
export type OnProgress = (progress: ImageProgress) => void

/** Counts bytes and reports the count. */
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
