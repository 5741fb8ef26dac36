/** `@causeway/native`: kernel features that the runtime needs and Node does not offer. @module */
export { bindAbstract, maxAbstractNameBytes } from './abstract-socket.ts'
export type { AbstractForm, PeerCredentials } from './abstract-socket.ts'
export { createAuditChain } from './audit-chain.ts'
export type { AuditChain, AuditChainFiles, AuditChainOptions, AuditUse } from './audit-chain.ts'
export { startBridgeEngine } from './bridge-engine.ts'
export type {
  BridgeEngine,
  EngineLimits,
  EngineNotices,
  EngineOptions,
  EngineRefusal,
} from './bridge-engine.ts'
export type { Membership, Refusal, RefusalReason } from './engine/membership.ts'
export { createPeerJudge } from './engine/peer-judge.ts'
export type { PeerJudge } from './engine/peer-judge.ts'
export type { SignerHandle, SignerUses } from './handles/handles.ts'
export { nativePaths } from './paths.ts'
export type { NativePaths } from './paths.ts'
export { firstDerivedSlot, loadSigner, maxDerivedKeys } from './signer.ts'
export type {
  NativeSigner,
  SignerAgreement,
  SignerKeys,
  SignerRefusal,
  SignerRoot,
} from './signer.ts'
export type { SystemError } from './system-error.ts'
