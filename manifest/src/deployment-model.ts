/** What a deployment file says: who deployed what, with which limits and rights. @module */

/** Public keys of one processor, lower-case hex without 0x; only curves with a key are present. */
export interface ProcessorPublicKeys {
  /** Signing, SEC1, 33 or 65 bytes as written. */
  p256?: string
  /** Signing, SEC1, 33 or 65 bytes as written. */
  secp256k1?: string
  /** Signing, 32 bytes. */
  ed25519?: string
  /** Encryption, SEC1, 33 or 65 bytes as written. */
  encP256?: string
  /** Encryption, SEC1, 33 or 65 bytes as written. */
  encSecp256k1?: string
}

/** When a deployment runs. Milliseconds; 0 means the default (agent spec, JobSpec). */
export interface Schedule {
  /** Unix time. */
  startTime: number
  /** Unix time; after startTime when both are set. */
  endTime: number
  duration: number
  interval: number
  maxStartDelay: number
}

/**
 * A deployment file, normalised. What the runtime computes when the file omits it (id, source,
 * bundle, ipfsHash) stays absent. The two records have no prototype: any name is safe in them.
 */
export interface Deployment {
  /** Absolute path of the file; all other paths are absolute, too. */
  file: string
  /** 1 to 256 characters, no control characters, not `.` or `..`. */
  id?: string
  origin: {
    kind?: string
    /** 1 to 64 bytes, lower-case hex without 0x. */
    source?: string
  }
  /** Folder or zip with `manifest.json` at its root. */
  bundle?: string
  ipfsHash?: string
  slot: number | null
  /** Secret: never to be logged. */
  environment: Readonly<Record<string, string>>
  schedule: Schedule
  /** Most memory in bytes; 0 means the default. */
  memory: number
  /** Most storage in bytes; 0 means the default. */
  storage: number
  /** Most network requests; 0 means the default. */
  networkRequests: number
  /** SS58 address, as written, to the processor's keys. */
  assignedProcessors: Readonly<Record<string, ProcessorPublicKeys>>
  /** File with private keys to import. */
  keys?: string
  /** Default `host`. */
  interfaces: 'host' | 'loopback'
  /** `methods`: wire names or `family_*`; absent means every method. */
  policy: { methods?: readonly string[] }
}
