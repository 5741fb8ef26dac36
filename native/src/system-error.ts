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
  /** The file that it was about, where a caller can not know. */
  path?: string
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
export function systemError(syscall: string, errno: number, path?: string): SystemError {
  const [code, text] = getSystemErrorMap().get(errno) ?? [`E${-errno}`, 'unknown error']
  const said = `${syscall} ${code}: ${text}`
  if (path === undefined) return Object.assign(new Error(said), { code, errno, syscall })
  return Object.assign(new Error(`${said}, ${path}`), { code, errno, syscall, path })
}
