/** Result of `processor_version`. */
export interface ProcessorVersion {
  /** The bridge level that the host implements, `major.minor.patch`; not a package's version. */
  version: string
}

export interface ProcessorMethods {
  /** Which bridge level the host implements. */
  processor_version: { params: []; result: ProcessorVersion }
}
