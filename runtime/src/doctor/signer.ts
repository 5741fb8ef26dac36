/** @module */
import { chooseBackend } from '../signer/choose-backend.ts'
import { ok, warning, type Check } from './finding.ts'

/** Which signer the bridges of this host use. */
export const signerCheck: Check = {
  name: 'signer',
  async look({ config }) {
    const { backend, warning: reason } = await chooseBackend(config.signer.backend)
    const text = `${backend.name}: ${backend.detail}`
    if (backend.name === 'native') return ok(text)
    return warning(
      reason === undefined ? text : `${text}; ${reason}`,
      reason === undefined
        ? 'take signer.backend = "portable" out of the configuration'
        : 'build the native signer: npm run build:native',
    )
  },
}
