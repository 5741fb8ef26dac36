/** `@causeway/native`: kernel features that the runtime needs and Node does not offer. @module */
export { bindAbstract, maxAbstractNameBytes } from './abstract-socket.ts'
export type { AbstractForm, PeerCredentials } from './abstract-socket.ts'
export { createAuditChain } from './audit-chain.ts'
export type { AuditChain, AuditChainFiles, AuditChainOptions, AuditUse } from './audit-chain.ts'
export {
  startBridgeEngine,
  type BridgeEngine,
  type EngineLimits,
  type EngineNotices,
  type EngineOptions,
  type EngineRefusal,
} from './bridge-engine.ts'
export type { Membership, Refusal, RefusalReason } from './engine/membership.ts'
export { createPeerJudge, type PeerJudge } from './engine/peer-judge.ts'
export type { SignerHandle, SignerUses } from './handles/handles.ts'
export { nativePaths } from './paths.ts'
export { firstDerivedSlot, loadSigner, maxDerivedKeys } from './signer.ts'
export type { SignerAgreement, SignerKeys, SignerRefusal, SignerRoot } from './signer.ts'
export type { SystemError } from './system-error.ts'
