/**
 * Formats the verification of a host for a person: a line for each question, and what to publish.
 * @module
 */
import { claimName } from '@causeway/service/protocol'
import type { Verification, VerificationStep } from '../../network/verify/verification.ts'

const indent = '       '

export function verificationText(verification: Verification): string {
  return [...verification.steps.flatMap(stepLines), '', conclusion(verification)].join('\n')
}

function stepLines({ type, name, address, spelling, found, failure }: VerificationStep): string[] {
  const isOther = spelling !== undefined && claimName(spelling) !== name
  const about = [address, isOther ? `over ${spelling}` : undefined]
  const shown = about.filter((one) => one !== undefined).join(', ')
  const asked = `${type.padEnd(4)} ${name}${shown === '' ? '' : ` (${shown})`}`
  if (!failure) return [`✓ ${asked}: ${found.join(', ') || 'none'}`]
  const { message, expected } = failure
  const lines = [`✗ ${asked}: ${found.join(', ') || 'nothing'}`, `${indent}${message}`]
  return expected === undefined ? lines : [...lines, `${indent}publish: ${expected}`]
}

function conclusion({ host, passed, failure }: Verification): string {
  if (failure) return `✗ ${host} would not be whitelisted: ${failure.kind}`
  const addresses = passed.map(({ address, seconds }) => `${address} for ${seconds} s`)
  return `✓ ${host} would be whitelisted: ${addresses.join(', ')}`
}
