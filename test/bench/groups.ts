/**
 * All groups. To add one: a file in `groups/`, a line here.
 * @module
 */
import type { Group } from './group.ts'
import { admission } from './groups/admission.ts'
import { audit } from './groups/audit.ts'
import { bridge } from './groups/bridge.ts'
import { idle } from './groups/idle.ts'
import { network } from './groups/network.ts'
import { sandbox } from './groups/sandbox.ts'
import { signerParts } from './groups/signer-parts.ts'
import { signer } from './groups/signer.ts'
import { slowloris } from './groups/slowloris.ts'
import { unpack } from './groups/unpack.ts'
import { verification } from './groups/verification.ts'

export const groups: readonly Group[] = [
  bridge,
  admission,
  idle,
  slowloris,
  signer,
  signerParts,
  audit,
  sandbox,
  unpack,
  verification,
  network,
]
