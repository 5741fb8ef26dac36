/** @module */
import { hardenProcess } from '@causeway/native'
import { softLimit } from './limits.ts'
import { failure, ok, type Check } from './finding.ts'

/** Whether another process of the same user, or a crash, could get at keys in memory. */
export const processCheck: Check = {
  name: 'process',
  look() {
    hardenProcess()
    const coreBytes = softLimit('Max core file size')
    return coreBytes === 0
      ? ok('not dumpable, no core files')
      : failure(`core files of ${coreBytes} bytes, with the keys in them`)
  },
}
