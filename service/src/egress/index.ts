/**
 * Which addresses a service may reach for others: public ones, and what its operator opens.
 * @module
 */
export { createEgress, EgressRefusedError, type Egress } from './egress.ts'
export { createEgressPolicy, familyOf, parseNet, type EgressPolicy, type Family } from './policy.ts'
export {
  isLoopbackAddress,
  isPublicAddress,
  isUnspecifiedAddress,
  specialPurposeNets,
} from './special-purpose.ts'
