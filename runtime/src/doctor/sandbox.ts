/** Checks how a job is confined. @module */
import { openSandbox } from '../sandbox/sandbox.ts'
import { detectProot } from '../sandbox/proot/proot.ts'
import { lacking, ok, warning, type Check } from './finding.ts'

/** Reports which PRoot is installed; the check of the confinement says whether jobs need one. */
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

/** Reports the layers of confinement that work here, as a canary found them. */
export const confinementCheck: Check = {
  name: 'confinement',
  async look(host) {
    const { name, missing } = await openSandbox(host.config.sandbox, host.openState().deployments)
    return lacking(name, missing.layers)
  },
}
