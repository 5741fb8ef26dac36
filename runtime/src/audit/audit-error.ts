/** The audit log cannot be written, so no key may be used. The message names a host path. */
export class AuditError extends Error {
  override readonly name = 'AuditError'
  /** Error code of the failed system call, such as `ENOSPC`. */
  readonly code: string | undefined

  constructor(folder: string, cause: unknown) {
    const { message, code } = cause as NodeJS.ErrnoException
    super(`audit log ${folder}: ${message}`, { cause })
    this.code = code
  }
}
