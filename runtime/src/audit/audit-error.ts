/** Lines could not be written: no key may be used until they can. The message names a host path. */
export class AuditError extends Error {
  override readonly name = 'AuditError'
  /** Of the system call that failed, such as `ENOSPC`. */
  readonly code: string | undefined

  constructor(folder: string, cause: unknown) {
    const { message, code } = cause as NodeJS.ErrnoException
    super(`audit log ${folder}: ${message}`, { cause })
    this.code = code
  }
}
