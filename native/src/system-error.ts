/**
 * From the addon's negative errno to an Error shaped like Node's own.
 *
 * @module
 */
import { getSystemErrorMap } from 'node:util'

/** A failed system call, with the fields that Node's own system errors carry. */
export interface SystemError extends Error {
  /** Name of the error, such as `EADDRINUSE`. */
  code: string
  /** The negative errno, as Node gives it. */
  errno: number
  /** The system call that failed, such as `bind`. */
  syscall: string
}

/**
 * Hands a call's result on.
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
