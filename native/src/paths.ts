/**
 * Where the built files are.
 *
 * @module
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** This package's folder: one above `src` and `dist` alike. */
const packageRoot = fileURLToPath(new URL('..', import.meta.url))

/** Absolute path of a file that `npm run build:native` makes. */
export function builtFile(name: string): string {
  return join(packageRoot, 'build', 'Release', name)
}

/** Absolute paths of the built programs and the shim; they exist once the build has run. */
export interface NativePaths {
  /** `bridge-launch`: confines and starts a job, reaps its whole tree. */
  launcher: string
  /** `bridge-guest-init`: first process of the guest's side, reports the job's real end. */
  guestInit: string
  /** `bridge-canary`: run as a job, tells whose files a job sees. */
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
