/**
 * `causeway stop` and `causeway start`: whether a deployment may run.
 * @module
 */
import { InvalidArgumentError, type Command } from 'commander'
import { maxGraceMs, type DeploymentDetail } from '../../control/protocol.ts'
import {
  deploymentCommand,
  onDeployment,
  type ControlFlags,
  type OneDeployment,
} from './control.ts'
import { print } from '../print/printable.ts'

interface StopFlags extends ControlFlags {
  grace?: number
}

export function stopCommand(): Command {
  return deploymentCommand(
    'stop',
    'end what runs of a deployment, and begin nothing of it until causeway start',
  )
    .option('--grace <ms>', 'time between SIGTERM to the job and the end of its tree', grace)
    .action(onDeployment(stop))
}

export function startCommand(): Command {
  return deploymentCommand(
    'start',
    'let a stopped deployment run again; one that is over begins once more',
  ).action(onDeployment(start))
}

async function stop(
  { client, params }: OneDeployment,
  { grace: graceMs }: StopFlags,
): Promise<void> {
  const body = { ...(graceMs !== undefined && { graceMs }) }
  show(await client.call('POST /v1/deployments/:id/stop', { params, body }))
}

async function start({ client, params }: OneDeployment): Promise<void> {
  show(await client.call('POST /v1/deployments/:id/start', { params }))
}

function show({ id, state }: DeploymentDetail): void {
  print(`✓ deployment ${id}: ${state}`)
}

function grace(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= maxGraceMs) return number
  throw new InvalidArgumentError(`expected a whole number up to ${maxGraceMs}`)
}
