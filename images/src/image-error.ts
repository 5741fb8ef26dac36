/**
 * The only error class of this package: it describes in an operator's words what failed.
 *
 * @module
 */

/** Stable name of a failure; the message beside it says what was found and what was expected. */
export type ImageErrorKind =
  | 'IMAGE_URL_REFUSED'
  | 'IMAGE_DOWNLOAD_FAILED'
  | 'IMAGE_DIGEST_MISMATCH'
  | 'IMAGE_ARCHIVE_INVALID'
  | 'IMAGE_TOO_LARGE'
  | 'IMAGE_BUILD_FAILED'
  | 'IMAGE_NOT_FOUND'
  | 'IMAGE_IN_USE'

/**
 * An image could not be fetched, unpacked or built. Aborts are not ImageErrors: they reject with
 * the signal's reason.
 */
export class ImageError extends Error {
  override readonly name = 'ImageError'
  readonly kind: ImageErrorKind

  constructor(kind: ImageErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** The message of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
