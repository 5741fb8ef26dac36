/**
 * `@causeway/native`: what the runtime needs of the kernel and Node does not offer.
 *
 * @module
 */
export { bindAbstract, maxAbstractNameBytes } from './abstract-socket.ts'
export type { AbstractForm, PeerCredentials } from './abstract-socket.ts'
export { startBridgeEngine } from './bridge-engine.ts'
export type {
  BridgeEngine,
  EngineLimits,
  EngineNotices,
  EngineOptions,
  EngineRefusal,
  Membership,
  RefusalReason,
} from './bridge-engine.ts'
export { closeFd, createPipe } from './pipe.ts'
export type { Pipe } from './pipe.ts'
export { lockFile } from './lock.ts'
export { nativePaths } from './paths.ts'
export type { NativePaths } from './paths.ts'
export type { SystemError } from './system-error.ts'
