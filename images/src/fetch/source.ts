/** The types that a download and its sources share. @module */

/** The bytes of an archive as they arrive. */
export interface ArchiveSource {
  chunks: AsyncIterable<Uint8Array>
  /** Size of the whole archive, if the sender announced it. */
  totalBytes: number | undefined
  /** How many bytes precede these; 0 unless a transfer is continued. */
  offset: number
  /** Lets a later transfer continue this one (see Resume). */
  validator?: string
  /** Closes the source before any chunk was requested. */
  cancel(): Promise<void>
}

/** The state that continues an earlier transfer. */
export interface Resume {
  /** How many bytes the part has. */
  bytes: number
  /** Strong ETag, or else the Last-Modified date, as the server wrote it. */
  validator: string
  /** Size of the whole archive, if the server announced it. */
  totalBytes?: number
}
