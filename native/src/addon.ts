/** Loads `bridge_native.node` on first use and declares its types. @module */
import type { NativeHandle } from './handles/native-handle.ts'
import { loadAddon } from './load-addon.ts'

/** The addon's raw calls: each returns the result of its system call, or a negative errno. */
export interface NativeAddon {
  socket(network: number): number
  bind(fd: number, sunPath: Uint8Array): number
  listen(fd: number, backlog: number): number
  pipe(into: Int32Array): number
  fchown(fd: number, uid: number): number
  close(fd: number): number
  link(fd: number, path: string): number
  harden(): number
  lock(path: string, shared: boolean): number
  createNetwork(): number
  loadSegmentGuard(): number
  refuseSegments(folder: string): number
  connectIn(network: number, address: string, port: number): number
  listenIn(network: number, address: string, port: number, backlog: number): number
  /** A handle, or a negative errno. */
  openNetworkHandle(network: number): NativeHandle<'network'> | number
  closeNetworkHandle(handle: NativeHandle<'network'>): void
  egress: EgressCalls
  /** The most lines that one call of `onLines` passes. */
  maxLines: number
  BridgeEngine: NativeBridgeEngineClass
  PeerJudge: new () => NativePeerJudge
}

type Egress = NativeHandle<'egress'>

/** See handles/egress.ts; times are ms. */
interface EgressCalls {
  open(interval: number, burst: number): Egress
  addNet(egress: Egress, opens: boolean, address: string, prefix: number): boolean
  allows(egress: Egress, address: string): boolean
  take(egress: Egress, address: string, now: number | undefined): number
  admit(egress: Egress, address: string, ms: number, now: number | undefined): void
  counters(egress: Egress): [number, number, number]
}

/** The constructor of the addon's `BridgeEngine`; see bridge-engine.ts. */
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

/** See engine/membership.ts. */
export interface NativeAdmission {
  admit(kind: number, uid: number, uidCount: number, pid: number): number
}

export interface NativePeerJudge extends NativeAdmission {
  judge(pid: number, uid: number, into: Float64Array): number
  close(): void
}

export interface NativeBridgeEngine extends NativeAdmission {
  open(): number
  reply(tag: number, text: string | undefined): boolean
  judgeAgain(tag: number, into: Float64Array): number
  close(lastWord: string): void
}

let loaded: NativeAddon | undefined

/**
 * The addon, loaded on first use: code that needs only `nativePaths` runs without a build.
 *
 * @throws Error with code `ERR_NATIVE_NOT_BUILT` when the addon is missing or does not load.
 */
export function addon(): NativeAddon {
  loaded ??= loadAddon<NativeAddon>('bridge_native.node')
  return loaded
}
