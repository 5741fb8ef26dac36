/** The daemon, and the network of a deployment that runs, as the control API shows them. @module */
import * as v from 'valibot'
import { described, list, time, whole } from '../../supervisor/shown/fields.ts'

/** How far a daemon is that has just started. */
export const recovery = described(
  v.object({
    done: described(whole, 'Deployments that it has continued.'),
    total: described(whole, 'Deployments that it found in the state folder.'),
  }),
  'While the daemon continues the deployments of an earlier one; absent once it has.',
)

export const status = v.object({
  version: described(v.string(), 'Of the daemon.'),
  pid: whole,
  startedAt: time,
  state: described(v.string(), 'Path of the state folder.'),
  sandbox: described(v.string(), 'Layers of the sandbox, for a person.'),
  signer: described(v.string(), '`native`, or `portable`: in JavaScript, which is slower.'),
  warnings: described(list(v.string()), 'What this host does not enforce, for a person.'),
  deployments: described(v.record(v.string(), whole), 'State → how many are in it.'),
  recovery: v.exactOptional(recovery),
})

const connections = v.object({ admitted: v.number(), limited: v.number(), refused: v.number() })

export const networkView = v.object({
  mode: described(
    v.picklist(['isolated', 'shared', 'none']),
    'A network of the deployment’s own, the host’s with limits by uid, or the host’s without.',
  ),
  missing: described(list(v.string()), 'What is not enforced here and why, for a person.'),
  limits: v.exactOptional(
    described(
      v.object({ connectionsPerSecond: v.number(), connectionBurst: v.number() }),
      'Of new connections to addresses that are not whitelisted; absent: not limited.',
    ),
  ),
  networkRequests: v.exactOptional(
    described(v.number(), 'Most new connections of the execution; absent: not limited.'),
  ),
  counters: described(
    connections,
    'Connections since the network was made; executions that follow closely share one.',
  ),
  byHost: described(connections, 'Connections that the host opened for the job.'),
  hosts: list(
    v.object({
      host: v.string(),
      addresses: list(
        v.object({
          address: v.string(),
          seconds: described(v.number(), 'How long the address still holds.'),
        }),
      ),
    }),
  ),
})

export type Recovery = v.InferOutput<typeof recovery>
export type Status = v.InferOutput<typeof status>
export type NetworkView = v.InferOutput<typeof networkView>
