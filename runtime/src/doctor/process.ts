/** @module */
import { hardenProcess } from '@causeway/native/process'
import { softLimit } from './limits.ts'
import { failure, ok, type Check } from './finding.ts'

// What hardenProcess sets; for a core handler behind a pipe 0 would be no limit.
const mostCoreBytes = 1

/** Whether another process of the same user, or a crash, could get at keys in memory. */
export const processCheck: Check = {
  name: 'process',
  look() {
    hardenProcess()
    const coreBytes = softLimit('Max core file size')
    return coreBytes !== undefined && coreBytes <= mostCoreBytes
      ? ok('not dumpable, no core files')
      : failure(`core files of ${coreBytes} bytes, with the keys in them`)
  },
}
