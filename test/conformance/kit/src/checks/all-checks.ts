/**
 * All rows of the kit, in the order of the table.
 * @module
 */
import type { Check } from '../check.ts'
import { addressChecks } from './addresses.ts'
import { byteValueChecks } from './byte-values.ts'
import { cipherChecks } from './ciphers.ts'
import { crowdChecks } from './crowds.ts'
import { deploymentChecks } from './deployment.ts'
import { derivationChecks } from './derivations.ts'
import { discoverChecks } from './discover.ts'
import { errorKindChecks } from './error-kinds.ts'
import { garbageChecks } from './garbage.ts'
import { idChecks } from './ids.ts'
import { lineChecks } from './lines.ts'
import { objectParamsChecks } from './object-params.ts'
import { otherChecks } from './other-families.ts'
import { replyChecks } from './replies.ts'
import { requestChecks } from './requests.ts'
import { signatureChecks } from './signatures.ts'
import { unknownMethodChecks } from './unknown-methods.ts'

export const allChecks: readonly Check[] = [
  ...addressChecks,
  ...lineChecks,
  ...replyChecks,
  ...idChecks,
  ...requestChecks,
  ...garbageChecks,
  ...unknownMethodChecks,
  ...crowdChecks,
  ...byteValueChecks,
  ...objectParamsChecks,
  ...errorKindChecks,
  ...deploymentChecks,
  ...signatureChecks,
  ...derivationChecks,
  ...cipherChecks,
  ...otherChecks,
  ...discoverChecks,
]
