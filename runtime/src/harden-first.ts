/**
 * Hardens the process before the rest of the command is loaded: afterwards no debugger opens, no core
 * file is written, and no other process of the user reads this one's memory.
 * @module
 */
import { hardenProcess } from '@causeway/native/process'

try {
  hardenProcess()
} catch (error) {
  // Without the addon, commands that need keys fail later, when they harden the process again.
  if ((error as NodeJS.ErrnoException).code !== 'ERR_NATIVE_NOT_BUILT') throw error
}
