/** @module */
import { chooseBackend } from '../signer/choose-backend.ts'
import { softLimit } from './limits.ts'
import { ok, warning, type Check } from './finding.ts'

/** Whether keys can be swapped out to a disk. */
export const keyMemoryCheck: Check = {
  name: 'memory of keys',
  async look({ config }) {
    const { backend } = await chooseBackend(config.signer.backend)
    if (backend.isMemoryLocked()) return ok('locked: never swapped out')
    if (backend.name === 'portable')
      return warning('in the JavaScript heap, may be swapped out', 'see signer; or turn off swap')
    return warning(
      `may be swapped out: this process may lock ${softLimit('Max locked memory')} bytes`,
      'raise RLIMIT_MEMLOCK (LimitMEMLOCK= of a systemd unit) or turn off swap',
    )
  },
}
