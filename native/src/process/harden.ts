/** Hardens a process that has keys. @module */
import inspector from 'node:inspector'
import { addon } from '../addon.ts'
import { checked } from '../system-error.ts'

/**
 * Protects the memory of this process: it leaves no core file, other processes of its user can
 * neither trace it nor read its memory (prctl(2) PR_SET_DUMPABLE), and SIGUSR1 no longer opens
 * Node's debugger. An open debugger is closed, as its clients run code here. Children become
 * dumpable again when they run another program; they leave no core files either.
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
