/** Tells what is missing from what went wrong. @module */
import { readFileSync } from 'node:fs'

/** The `code` of a Node system error (`ENOENT`, ...), undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/**
 * What `look` returns; undefined when there is no such file.
 * @param codes that say so, too, beside `ENOENT`
 * @throws all other errors
 */
export function ifThere<T>(look: () => T, ...codes: readonly string[]): T | undefined {
  try {
    return look()
  } catch (error) {
    return noneOn('ENOENT', ...codes)(error)
  }
}

/** What `look` returns; undefined when it throws, whatever the reason. */
export function orNone<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Makes a handler of errors: undefined for those with one of the codes. @throws all others */
export function noneOn(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCode(error) ?? '')) throw error
    return undefined
  }
}

/** Text of a file; `''` for one that cannot be read: its process is gone, or the kernel lacks it. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
