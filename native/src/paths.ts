/** Locates the built files. @module */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** This package's folder, by its name: this module may be part of a bundle. */
const packageRoot = dirname(createRequire(import.meta.url).resolve('@causeway/native/package.json'))

/** Absolute path of a file made by `npm run build:native`. */
export function builtFile(name: string): string {
  return join(packageRoot, 'build', 'Release', name)
}

/** Absolute paths of the built programs and the shim; they exist after the build. */
export interface NativePaths {
  /** `bridge-launch`: confines and starts a job, and reaps all its processes. */
  launcher: string
  /** `bridge-guest-init`: the guest's first process, reports the job's real exit. */
  guestInit: string
  /** `bridge-canary`: run as a job, reports whether it sees the guest's files or the host's. */
  canary: string
  /** `bridge-unpack`: extracts a hostile tar archive into its working directory. */
  unpacker: string
  /** `libcauseway-ifaddrs.so`: preloadable `getifaddrs` that shows only the loopback interface. */
  ifaddrsShim: string
}

/** See {@link NativePaths}. */
export const nativePaths: Readonly<NativePaths> = Object.freeze({
  launcher: builtFile('bridge-launch'),
  guestInit: builtFile('bridge-guest-init'),
  canary: builtFile('bridge-canary'),
  unpacker: builtFile('bridge-unpack'),
  ifaddrsShim: builtFile('libcauseway-ifaddrs.so'),
})
