/** @module */
import { detectProot } from '../sandbox/proot/proot.ts'
import { ok, warning, type Check } from './finding.ts'

/** Whether there is a PRoot, and which; the confinement says whether jobs can do without. */
export const prootCheck: Check = {
  name: 'PRoot',
  async look({ config: { sandbox } }) {
    if (sandbox.backend === 'namespaces') return ok('not needed: sandbox.backend is "namespaces"')
    try {
      const { program, version } = await detectProot(sandbox.proot)
      return ok(`${version}, ${program}`)
    } catch (error) {
      if (sandbox.backend === 'proot') throw error
      return warning(
        (error as Error).message,
        'not needed where jobs get namespaces: see confinement',
      )
    }
  },
}
