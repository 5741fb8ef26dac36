/** @module */
import { detectProot } from '../sandbox/proot.ts'
import { ok, type Check } from './finding.ts'

/** Whether there is a PRoot, and which. */
export const prootCheck: Check = {
  name: 'PRoot',
  async look({ config }) {
    const { program, version } = await detectProot(config.sandbox.proot)
    return ok(`${version}, ${program}`)
  },
}
