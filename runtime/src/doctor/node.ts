/** @module */
import { failure, ok, type Check } from './finding.ts'

const oldest = [20, 19] as const

/** Whether this Node is one that Causeway is tested with. */
export const nodeCheck: Check = {
  name: 'Node',
  look() {
    const { node } = process.versions
    const [major = 0, minor = 0] = node.split('.').map(Number)
    const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1])
    return isOld
      ? failure(`${node}: expected 20.19 or later`, 'install Node 20.19, 22 or 24')
      : ok(node)
  },
}
