/** Formats amounts for a person. @module */

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** @param ms milliseconds */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
