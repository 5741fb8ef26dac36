/**
 * All deployments of a daemon.
 * @module
 */
import { setMaxListeners } from 'node:events'
import {
  adopt,
  detailed,
  find,
  intact,
  summarise,
  type Entry,
  type SupervisorContext,
} from './entries.ts'
import type { SupervisorOptions } from './supervisor-options.ts'
import type { NetworkView } from '../network/network-view.ts'
import { StartError } from '../errors/start-error.ts'
import type { EventFeed } from './run/event-feed.ts'
import { deploy } from './install.ts'
import type { DeploymentLog } from './log/logs.ts'
import type { DeployRequest } from './new-deployment.ts'
import { remove, start, stop, type RemoveOptions } from './operations.ts'
import { createQueues } from '@causeway/service/turns'
import { findDeployments } from './record/store.ts'
import type { Supervised } from './supervised.ts'
import {
  detailOf,
  isAtRest,
  stateOf,
  type DeploymentDetail,
  type DeploymentSummary,
} from './summary.ts'

/** A reference is a deployment's id, or the beginning of its name if no other begins so. */
export interface Supervisor {
  deploy(request: DeployRequest): Promise<DeploymentDetail>
  list(): DeploymentSummary[]
  inspect(reference: string): DeploymentDetail
  /** Ends what runs, and begins nothing until `start`. */
  stop(reference: string, graceMs?: number): Promise<DeploymentDetail>
  /** Follows the schedule again; one that is over begins once more. */
  start(reference: string): Promise<DeploymentDetail>
  remove(reference: string, options: RemoveOptions): Promise<void>
  watch(reference: string): Watch
  /** @throws StartError DEPLOYMENT_NOT_RUNNING, too */
  network(reference: string): Promise<NetworkView>
  /** Ends all jobs with their grace time; the next supervisor continues them. */
  close(): Promise<void>
}

/** What can be followed of a deployment. */
export interface Watch {
  output: DeploymentLog
  feed: EventFeed
  detail: () => DeploymentDetail
  /** Whether nothing happens any more unless the operator says so. */
  isAtRest: () => boolean
}

/** Continues what an earlier supervisor left. The jobs of that one must be gone. */
export async function openSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const entries = new Map<string, Entry>()
  // Every job listens to it, and Node 20 warns of more than ten listeners.
  setMaxListeners(0, options.noGrace)
  for (const found of await findDeployments(options.deployments)) {
    entries.set(found.name, await adopt(found, options))
  }
  const context: SupervisorContext = {
    ...options,
    entries,
    queues: createQueues(),
    isClosing: false,
  }
  return {
    deploy: (request) => deploy(context, request),
    list: () => [...entries.values()].map(summarise),
    inspect: (reference) => detailed(find(entries, reference)),
    stop: (reference, graceMs) => stop(context, intact(entries, reference), graceMs),
    start: (reference) => start(context, intact(entries, reference)),
    remove: (reference, how) => remove(context, find(entries, reference), how),
    watch: (reference) => watch(intact(entries, reference)),
    network: async (reference) => networkOf(intact(entries, reference)),
    close: () => close(context),
  }
}

async function close(context: SupervisorContext): Promise<void> {
  context.isClosing = true
  const { entries, queues } = context
  const interruptAll = () => Promise.all([...entries.values()].map(interrupt))
  await Promise.all([interruptAll(), queues.settled()])
  // What a deploy that was under way has begun.
  await interruptAll()
}

function watch(entry: Supervised): Watch {
  const { output, feed } = entry
  return { output, feed, detail: () => detailOf(entry), isAtRest: () => isAtRest(entry) }
}

function networkOf(entry: Supervised): Promise<NetworkView> {
  const { lookAtNetwork } = entry.live
  if (lookAtNetwork) return lookAtNetwork()
  const { id } = entry.keeper.saved
  throw new StartError(
    'DEPLOYMENT_NOT_RUNNING',
    `deployment ${id} is ${stateOf(entry)}: it has a network only while its job runs`,
  )
}

async function interrupt(entry: Entry): Promise<void> {
  if ('keeper' in entry) await entry.close({ kind: 'interrupt' })
}
