/** `causeway ps`: lists the daemon's deployments. @module */
import type { DeploymentSummary, Recovery } from '../../control/protocol.ts'
import { describeExit } from '../../execution/contract/exit.ts'
import { withDaemon, type ControlFlags } from './control.ts'
import { print } from '../print/printable.ts'
import { table } from '../print/table.ts'

interface PsFlags extends ControlFlags {
  all?: boolean
  json?: boolean
}

const shownNameLength = 12
const columns = ['NAME', 'ID', 'STATE', 'EXECUTIONS', 'NEXT START', 'LAST EXIT'] as const

export async function ps(flags: PsFlags): Promise<void> {
  await withDaemon(flags, async (client) => {
    const { deployments, recovery } = await client.call('GET /v1/deployments')
    if (recovery) note(recovery)
    const shown = deployments.filter((one) => flags.all || isActive(one))
    print(flags.json ? JSON.stringify(shown) : table(columns, shown.map(row)))
  })
}

/** Not on stdout: a program reads that. */
function note({ done, total }: Recovery): void {
  process.stderr.write(
    `the daemon has just started: ${done} of ${total} deployments go on, the others are not shown yet\n`,
  )
}

function isActive({ state }: DeploymentSummary): boolean {
  return state !== 'stopped' && state !== 'ended'
}

function row(deployment: DeploymentSummary): string[] {
  const { name, id, state, executions, nextStart, exit, error, waiting } = deployment
  return [
    name.slice(0, shownNameLength),
    id ?? '',
    state,
    executions === undefined ? '' : String(executions),
    nextStart === undefined ? '' : new Date(nextStart).toISOString(),
    error ?? (waiting ? `waits for the host: ${waiting}` : exit ? describeExit(exit) : ''),
  ]
}
