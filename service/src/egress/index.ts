/**
 * Which addresses a service may reach for others: public ones, and what its operator opens.
 * @module
 */
export { createEgressPolicy, familyOf, parseNet, type EgressPolicy, type Family } from './policy.ts'
export { isLoopbackAddress, isPublicAddress, specialPurposeNets } from './special-purpose.ts'
