/**
 * The supervisor: runs all deployments of a daemon over time, and takes an operator's commands.
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
import { findDeployment, storedNames } from './record/store.ts'
import { orTellRefusal } from './refusals.ts'
import type { Supervised } from './supervised.ts'
import {
  detailOf,
  isAtRest,
  stateOf,
  type DeploymentDetail,
  type DeploymentSummary,
} from './summary.ts'

/** A reference is a deployment's id, or an unambiguous beginning of its name. */
export interface Supervisor {
  deploy(request: DeployRequest): Promise<DeploymentDetail>
  list(): DeploymentSummary[]
  inspect(reference: string): DeploymentDetail
  /** Ends the running execution, and starts no other until `start`. */
  stop(reference: string, graceMs?: number): Promise<DeploymentDetail>
  /** Follows the schedule again; one without further executions starts from the beginning. */
  start(reference: string): Promise<DeploymentDetail>
  remove(reference: string, options: RemoveOptions): Promise<void>
  watch(reference: string): Watch
  /** @throws StartError also DEPLOYMENT_NOT_RUNNING */
  network(reference: string): Promise<NetworkView>
  /** Resolves once all deployments of an earlier supervisor go on. */
  readonly recovered: Promise<void>
  /** How many of them go on; undefined once all do. */
  recovery(): { done: number; total: number } | undefined
  /** Stops all jobs with a grace period; the next supervisor continues them. */
  close(): Promise<void>
}

/** Log, events and state of a deployment, for a follower. */
export interface Watch {
  output: DeploymentLog
  feed: EventFeed
  detail: () => DeploymentDetail
  /** Whether nothing will happen without the operator. */
  isAtRest: () => boolean
}

/**
 * Continues the deployments of an earlier supervisor, whose jobs must be gone, one after the other.
 * It takes commands meanwhile, so that an operator sees how far it is.
 */
export async function openSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  // Every job listens to this signal, and Node 20 warns of more than ten listeners.
  setMaxListeners(0, options.noGrace)
  const names = await storedNames(options.deployments)
  const context: SupervisorContext = {
    ...options,
    entries: new Map<string, Entry>(),
    recovery: { total: names.length, pending: new Set(names) },
    queues: createQueues(),
    isClosing: false,
  }
  const told = <T>(command: string, deployment: string, work: () => Promise<T>) =>
    orTellRefusal(context.log, { command, deployment }, work)
  const { entries } = context
  const recovered = recoverAll(context)
  return {
    recovered,
    recovery: () => progressOf(context),
    deploy: (request) => deploy(context, request),
    list: () => [...entries.values()].map(summarise),
    inspect: (reference) => detailed(find(context, reference)),
    stop: (reference, graceMs) =>
      told('stop', reference, () => stop(context, intact(context, reference), graceMs)),
    start: (reference) =>
      told('start', reference, () => start(context, intact(context, reference))),
    remove: (reference, how) =>
      told('rm', reference, () => remove(context, find(context, reference), how)),
    watch: (reference) => watch(intact(context, reference)),
    network: async (reference) => networkOf(intact(context, reference)),
    close: () => close(context, recovered),
  }
}

async function recoverAll(context: SupervisorContext): Promise<void> {
  const { deployments, entries } = context
  const { pending } = context.recovery
  for (const name of pending) {
    if (context.isClosing) return
    const found = await findDeployment(deployments, name)
    if (found) entries.set(name, await adopt(found, context))
    pending.delete(name)
  }
}

function progressOf({ recovery: { total, pending } }: SupervisorContext) {
  return pending.size === 0 ? undefined : { done: total - pending.size, total }
}

async function close(context: SupervisorContext, recovered: Promise<void>): Promise<void> {
  context.isClosing = true
  await recovered
  const { entries, queues } = context
  const interruptAll = () => Promise.all([...entries.values()].map(interrupt))
  await Promise.all([interruptAll(), queues.settled()])
  // Interrupts deployments that a pending deploy has started meanwhile.
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
