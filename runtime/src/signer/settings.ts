/** The section `signer` of the configuration file. @module */
import { choice } from '@causeway/service/config'
import * as v from 'valibot'

export const signerSettings = v.strictObject({
  /** `auto`: native if it works here, otherwise portable with a warning. */
  backend: choice(['auto', 'native', 'portable'], 'auto'),
})
export type SignerSettings = v.InferOutput<typeof signerSettings>
