/**
 * Network namespaces, sockets in them, and the handles that other native addons consume.
 *
 * @module
 */
export {
  createEgress,
  type EgressCounters,
  type EgressOptions,
  type NativeEgress,
} from '../handles/egress.ts'
export { openNetworkHandle, type NetworkHandle } from '../handles/handles.ts'
export type { NativeHandle } from '../handles/native-handle.ts'
export { connectIn, createNetwork, listenIn, loadSegmentGuard, refuseSegments } from './network.ts'
