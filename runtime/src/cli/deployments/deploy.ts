/** `causeway deploy`: gives a deployment to the daemon. @module */
import { realpath } from 'node:fs/promises'
import type { DeploymentDetail, EventLine } from '../../control/protocol.ts'
import { describeExit, type JobExit } from '../../execution/contract/exit.ts'
import { asksOperator } from '../../errors/operator-cause.ts'
import { withDaemon, type ControlFlags, type OneDeployment } from './control.ts'
import { exitCodes } from '../exit-codes.ts'
import { print, printable } from '../print/printable.ts'
import type { Reporter } from '../print/report.ts'

interface DeployFlags extends ControlFlags {
  replace?: boolean
  wait?: boolean
  allowLocalImages?: boolean
  json?: boolean
}

export async function deploy(file: string, flags: DeployFlags): Promise<void> {
  await withDaemon(flags, async (client) => {
    const { replace = false, allowLocalImages = false } = flags
    const body = { file: await realpath(file), replace, allowLocalImages }
    const deployment = await client.call('POST /v1/deployments', { body })
    tell(deployment, flags)
    if (flags.wait) await waitForJob({ client, params: { id: deployment.name } })
  })
}

function tell({ name, id, ...rest }: DeploymentDetail, { json }: DeployFlags): void {
  for (const text of rest.warnings ?? []) process.stderr.write(printable(`! ${text}\n`))
  print(json ? JSON.stringify({ name, id, ...rest }) : `✓ deployment ${id}: name ${name}`)
}

async function waitForJob({ client, params }: OneDeployment): Promise<void> {
  const { createReporter } = await import('../print/report.ts')
  const reporter = createReporter(process.stderr)
  for await (const event of client.lines('GET /v1/deployments/:id/events', { params })) {
    const exit = takeEvent(event, reporter)
    if (exit === undefined) continue
    if (exit !== 'running') finish(exit)
    return
  }
}

/** @returns the outcome, as soon as it is known */
function takeEvent(event: EventLine, reporter: Reporter): JobExit | 'running' | undefined {
  if (event.type === 'state') return outcomeOf(event.deployment)
  if (event.type === 'execution-ended') return event.exit
  if (event.type === 'image-progress') reporter.progress(event.progress)
  if (event.type === 'waiting') {
    if (asksOperator(event.fault)) return waitingFor(event.fault)
    reporter.event({ type: 'warning', message: `waits for the host: ${event.fault}` })
  }
  if (event.type !== 'job-started') return undefined
  reporter.done('job started', `uid ${event.uid}, ${event.sandbox}`)
  return 'running'
}

/** Gets the outcome from the first line: a quick job may have ended before this command listened. */
function outcomeOf({ state, exit, waiting }: DeploymentDetail): JobExit | 'running' | undefined {
  if (waiting !== undefined && asksOperator(waiting)) return waitingFor(waiting)
  if (state === 'running' || state === 'restarting') return 'running'
  return state === 'ended' || state === 'stopped' ? exit : undefined
}

/** The operator must act, so this command does not wait. */
function waitingFor(fault: string): JobExit {
  return { reason: 'start-failed', detail: `${fault}; the daemon tries it again` }
}

function finish(exit: JobExit): void {
  const isFailure = exit.reason === 'start-failed'
  process.stderr.write(printable(`${isFailure ? '✗' : '✓'} ${describeExit(exit)}\n`))
  if (isFailure) process.exitCode = exitCodes.failed
}
