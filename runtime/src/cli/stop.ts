/**
 * `causeway stop` and `causeway start`: whether a deployment may run.
 * @module
 */
import { Command, InvalidArgumentError } from 'commander'
import type { DeploymentDetail } from '../deployments/view.ts'
import {
  deploymentPath,
  referenceText,
  withControlOptions,
  withDaemon,
  type ControlFlags,
} from './control.ts'
import { printable } from './printable.ts'

interface StopFlags extends ControlFlags {
  grace?: number
}

const maxGraceMs = 600_000

export function stopCommand(): Command {
  const command = new Command('stop')
    .description('end what runs of a deployment, and begin nothing of it until causeway start')
    .argument('<id>', referenceText)
    .option('--grace <ms>', 'time between SIGTERM to the job and the end of its tree', grace)
  return withControlOptions(command).action(stop)
}

export function startCommand(): Command {
  const command = new Command('start')
    .description('let a stopped deployment run again; one that is over begins once more')
    .argument('<id>', referenceText)
  return withControlOptions(command).action(start)
}

async function stop(reference: string, flags: StopFlags): Promise<void> {
  const body = flags.grace === undefined ? {} : { graceMs: flags.grace }
  await change(deploymentPath(reference, '/stop'), flags, body)
}

async function start(reference: string, flags: ControlFlags): Promise<void> {
  await change(deploymentPath(reference, '/start'), flags, {})
}

async function change(path: string, flags: ControlFlags, body: object): Promise<void> {
  await withDaemon(flags, async (client) => {
    const { id, state } = await client.call<DeploymentDetail>('POST', path, body)
    process.stdout.write(printable(`✓ deployment ${id}: ${state}\n`))
  })
}

function grace(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= maxGraceMs) return number
  throw new InvalidArgumentError(`expected a whole number up to ${maxGraceMs}`)
}
