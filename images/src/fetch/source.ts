/**
 * What passes between a download and where its bytes come from.
 *
 * @module
 */

/** An archive's bytes on their way. */
export interface ArchiveSource {
  chunks: AsyncIterable<Uint8Array>
  /** Size of the whole archive, when the sender announced it. */
  totalBytes: number | undefined
  /** How many bytes come before these; 0 but for a continued transfer. */
  offset: number
  /** By what it can be continued (see Resume). */
  validator?: string
  /** Gives them up before the first was asked for. */
  cancel(): Promise<void>
}

/** What a transfer can be continued by. */
export interface Resume {
  /** How many bytes are there. */
  bytes: number
  /** Strong ETag, or else the Last-Modified date, as the server wrote it. */
  validator: string
  /** Size of the whole, when the server told. */
  totalBytes?: number
}
