/**
 * A process that holds keys. Its `/proc/self` belongs to root from then on.
 *
 * @module
 */
import inspector from 'node:inspector'
import { addon } from './addon.ts'
import { checked } from './system-error.ts'

/**
 * Also closes a debugger that is open already: whoever connects to one runs code in this process.
 * From now on this process leaves no core file, others of its user can neither trace it nor read
 * its memory (prctl(2) PR_SET_DUMPABLE), and SIGUSR1 does not open Node's debugger. Children are
 * as dumpable as ever once they run another program; they leave no core files either.
 *
 * @throws SystemError
 */
export function hardenProcess(): void {
  checked('harden', addon().harden())
  closeDebugger()
}

function closeDebugger(): void {
  if (inspector.url() === undefined) return
  inspector.close()
  if (inspector.url() !== undefined) throw new Error('the debugger of this process stays open')
}
