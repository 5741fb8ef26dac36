/** Turns the addon's negative errno into an Error shaped like Node's own. @module */
import { getSystemErrorMap } from 'node:util'

/** A failed system call, with the fields of Node's own system errors. */
export interface SystemError extends Error {
  /** Name of the error, such as `EADDRINUSE`. */
  code: string
  /** The negative errno, as in Node. */
  errno: number
  /** The system call that failed, such as `bind`. */
  syscall: string
}

/**
 * Returns a call's result.
 *
 * @throws SystemError when the result is a negative errno.
 */
export function checked(syscall: string, result: number): number {
  if (result < 0) throw systemError(syscall, result)
  return result
}

/** @param errno negative */
export function systemError(syscall: string, errno: number): SystemError {
  const [code, text] = getSystemErrorMap().get(errno) ?? [`E${-errno}`, 'unknown error']
  return Object.assign(new Error(`${syscall} ${code}: ${text}`), { code, errno, syscall })
}
