/**
 * `causeway stop` and `causeway start`: whether a deployment may run.
 * @module
 */
import { InvalidArgumentError, type Command } from 'commander'
import type { DeploymentClient } from '../../control/deployment-client.ts'
import type { DeploymentDetail } from '../../supervisor/summary.ts'
import { deploymentCommand, onDeployment, type ControlFlags } from './control.ts'
import { print } from '../print/printable.ts'

interface StopFlags extends ControlFlags {
  grace?: number
}

const maxGraceMs = 600_000

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
  ).action(onDeployment((deployment) => change(deployment, '/start')))
}

async function stop(deployment: DeploymentClient, flags: StopFlags): Promise<void> {
  await change(deployment, '/stop', flags.grace === undefined ? {} : { graceMs: flags.grace })
}

async function change(deployment: DeploymentClient, how: string, body?: object): Promise<void> {
  const { id, state } = await deployment.call<DeploymentDetail>('POST', how, body)
  print(`✓ deployment ${id}: ${state}`)
}

function grace(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= maxGraceMs) return number
  throw new InvalidArgumentError(`expected a whole number up to ${maxGraceMs}`)
}
