/**
 * What the commands that talk to a daemon have in common.
 * @module
 */
import { join } from 'node:path'
import type { Command } from 'commander'
import { createControlClient, type ControlClient } from '../control/client.ts'
import { controlSocketName } from '../control/socket-name.ts'
import { stateRoot } from '../state.ts'
import { fail } from './failure.ts'

export interface ControlFlags {
  state?: string
}

/** How a deployment is named on the command line. */
export const referenceText = 'id of a deployment, or the beginning of its name'

/** Adds `--state`, which leads to the daemon. */
export function withControlOptions(command: Command): Command {
  return command.option('--state <dir>', 'state folder of the daemon (default: as causeway daemon)')
}

/** Calls with a client of the daemon; what goes wrong is told and is the exit code. */
export async function withDaemon(
  { state }: ControlFlags,
  use: (client: ControlClient) => Promise<void>,
): Promise<void> {
  const path = join(stateRoot(state), controlSocketName)
  const start = state === undefined ? 'causeway daemon' : `causeway daemon --state ${state}`
  try {
    await use(createControlClient(path, start))
  } catch (error) {
    // A reader that went away (`causeway logs … | head`) has seen what it wanted.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') fail(error)
  }
}

/** Path of a deployment's resource. */
export function deploymentPath(reference: string, rest = ''): string {
  return `/v1/deployments/${encodeURIComponent(reference)}${rest}`
}
