/**
 * Loaded before the rest of the command: from now on no debugger, no core file, no look into this
 * process's memory.
 * @module
 */
import { hardenProcess } from '@causeway/native/process'

try {
  hardenProcess()
} catch (error) {
  // A command that needs keys hardens the process again, and fails then; `doctor` says why.
  if ((error as NodeJS.ErrnoException).code !== 'ERR_NATIVE_NOT_BUILT') throw error
}
