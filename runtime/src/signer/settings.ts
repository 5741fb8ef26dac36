/** The section `signer` of the configuration file. @module */
import * as v from 'valibot'

const backends = ['auto', 'native', 'portable'] as const

export const signerSettings = v.strictObject({
  /** `auto`: native if it works here, otherwise portable with a warning. */
  backend: v.optional(v.picklist(backends, `expected one of ${backends.join(', ')}`), 'auto'),
})
export type SignerSettings = v.InferOutput<typeof signerSettings>
