/** BIP-32 paths: `m(/index['hH]?)*`, secp256k1 only. @module */
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import { RpcError } from '../bridge/errors.ts'

const maxDepth = 10
const firstHardened = 0x80000000
const shape = /^m(?:\/\d{1,10}['hH]?)*$/

/** Refuses curves without derived keys. @throws RpcError BAD_DERIVATION_PATH */
export function checkDerivable(curve: SigningCurve): void {
  if (curve !== 'secp256k1') throw bad(`derivation works on secp256k1 only, found ${curve}`)
}

/**
 * Child indexes of a path; hardened ones have the top bit set.
 * @throws RpcError BAD_DERIVATION_PATH naming what is wrong
 */
export function parseDerivationPath(path: string): number[] {
  if (!shape.test(path)) {
    throw bad(`expected m followed by /index steps, as m/44'/60'/0'/0/0, found ${shown(path)}`)
  }
  const steps = path.split('/').slice(1)
  if (steps.length > maxDepth)
    throw bad(`expected at most ${maxDepth} steps, found ${steps.length}`)
  return steps.map(parseStep)
}

function parseStep(step: string): number {
  const index = Number.parseInt(step, 10)
  if (index >= firstHardened) throw bad(`expected indexes below 2^31, found ${step}`)
  return /\d$/.test(step) ? index : index + firstHardened
}

function bad(what: string): RpcError {
  return new RpcError('BAD_DERIVATION_PATH', `derivationPath: ${what}`, {
    details: { field: 'derivationPath' },
  })
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 80))
}
