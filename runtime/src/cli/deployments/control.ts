/** What the commands that talk to a daemon have in common. @module */
import { join } from 'node:path'
import { createControlClient, type ControlClient } from '../../control/client.ts'
import { controlSocketName } from '../../control/socket-name.ts'
import { stateRoot } from '../../state/state-folders.ts'
import { untilReaderLeaves } from '../failure.ts'

export interface ControlFlags {
  state?: string
}

/** Calls `use` with a client of the daemon. */
export async function withDaemon(
  { state }: ControlFlags,
  use: (client: ControlClient) => Promise<void>,
): Promise<void> {
  const path = join(stateRoot(state), controlSocketName)
  const start = state === undefined ? 'causeway daemon' : `causeway daemon --state ${state}`
  await untilReaderLeaves(() => use(createControlClient(path, start)))
}

/** A client, and the deployment that its requests are about. */
export interface OneDeployment {
  client: ControlClient
  params: { id: string }
}

/** Makes the action of a command about one deployment. */
export function onDeployment<Flags extends ControlFlags>(
  use: (deployment: OneDeployment, flags: Flags) => Promise<void>,
): (id: string, flags: Flags) => Promise<void> {
  return (id, flags) => withDaemon(flags, (client) => use({ client, params: { id } }, flags))
}
