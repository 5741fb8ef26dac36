/** Pure protocols: bytes and names that services of ours and of others agree on. @module */
export { openEnvelope, sealEnvelope, type EnvelopeAgreement } from './envelope-cipher.ts'
export { seal, unseal } from './seal.ts'
export {
  addressRecord,
  claimName,
  claimPrefix,
  claimValue,
  ptrRecord,
  txtRecord,
} from './txt-record.ts'
