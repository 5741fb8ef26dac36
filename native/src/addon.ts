/**
 * Loads `bridge_native.node` on first use, and types it.
 *
 * @module
 */
import { createRequire } from 'node:module'
import { packageRoot } from './paths.ts'

/** The addon's raw calls: each answers the result of its syscall, or a negative errno. */
export interface NativeAddon {
  socket(): number
  bind(fd: number, sunPath: Uint8Array): number
  listen(fd: number, backlog: number): number
  pipe(into: Int32Array): number
  fchown(fd: number, uid: number): number
  close(fd: number): number
  lock(path: string): number
  /** The most lines that one call of `onLines` carries. */
  maxLines: number
  BridgeEngine: NativeBridgeEngineClass
}

/** What `BridgeEngine` of the addon is made of; see bridge-engine.ts. */
export type NativeBridgeEngineClass = new (
  fds: readonly number[],
  limits: Float64Array,
  notices: readonly string[],
  tags: Float64Array,
  peers: Int32Array,
  onLines: (...lines: (string | Buffer)[]) => void,
  onRefusals: (
    reason: number,
    count: number,
    pid: number,
    uid: number,
    gid: number,
    observed: number,
  ) => void,
) => NativeBridgeEngine

export interface NativeBridgeEngine {
  open(): number
  admit(kind: number, uid: number, pid: number): number
  reply(tag: number, text: string | undefined): boolean
  judgeAgain(tag: number, into: Float64Array): number
  close(lastWord: string): void
}

type NodeGypBuild = (directory: string) => NativeAddon

let loaded: NativeAddon | undefined

/**
 * The addon. Loaded on first use, so that what needs only `nativePaths` runs without a build.
 *
 * @throws Error with code `ERR_NATIVE_NOT_BUILT` when the addon is missing or does not load.
 */
export function addon(): NativeAddon {
  loaded ??= load()
  return loaded
}

function load(): NativeAddon {
  const nodeGypBuild = createRequire(import.meta.url)('node-gyp-build') as NodeGypBuild
  try {
    return nodeGypBuild(packageRoot)
  } catch (cause) {
    const message = 'the native addon is missing or does not load: run `npm run build:native`'
    throw Object.assign(new Error(message, { cause }), { code: 'ERR_NATIVE_NOT_BUILT' })
  }
}
