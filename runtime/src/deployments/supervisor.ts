/**
 * All deployments of a daemon.
 * @module
 */
import { removeTree } from '@causeway/images'
import { StartError } from '../start-error.ts'
import {
  adopt,
  detailed,
  find,
  intact,
  summarise,
  type Entry,
  type SupervisorContext,
  type SupervisorOptions,
} from './entries.ts'
import type { EventFeed } from './event-feed.ts'
import { deploy } from './install.ts'
import type { DeploymentLog } from './logs.ts'
import type { DeployRequest } from './new-deployment.ts'
import { createQueues } from './queues.ts'
import { want } from './record-changes.ts'
import { restartPlan } from './restart-plan.ts'
import { findDeployments } from './store.ts'
import type { Supervised } from './supervised.ts'
import {
  detailOf,
  isAtRest,
  stateOf,
  type DeploymentDetail,
  type DeploymentSummary,
} from './view.ts'

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
  /** Ends all jobs with their grace time; the next supervisor continues them. */
  close(): Promise<void>
}

export interface RemoveOptions {
  /** Also when it runs, or is damaged. */
  force: boolean
  /** Imported keys, too; derived ones come again with the deployment. */
  forgetKeys: boolean
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
    stop: (reference, graceMs) => stop(intact(entries, reference), graceMs),
    start: (reference) => start(context, intact(entries, reference)),
    remove: (reference, how) => remove(context, find(entries, reference), how),
    watch: (reference) => watch(intact(entries, reference)),
    close: () => close(context),
  }
}

async function close(context: SupervisorContext): Promise<void> {
  context.isClosing = true
  // What a deploy that is under way begins has to be ended, too.
  await context.queues.settled()
  await Promise.all([...context.entries.values()].map(interrupt))
}

async function stop(entry: Supervised, graceMs?: number): Promise<DeploymentDetail> {
  const { keeper, output, feed, life } = entry
  const { wanted } = keeper.latest
  if (wanted === 'running') await output.tell('stopped by the operator')
  // Not waited for: on a full disk the job must end all the same.
  const saved = keeper.change(want('stopped'))
  const cause = { kind: 'stop', detail: 'stopped by the operator' } as const
  await life.end({ ...cause, ...(graceMs !== undefined && { graceMs }) })
  await saved
  feed.emit({ type: 'wanted', wanted: 'stopped' })
  // A follower waits for what will not come.
  output.nudge()
  return detailOf(entry)
}

function start(
  { entries, queues }: SupervisorContext,
  { name }: Supervised,
): Promise<DeploymentDetail> {
  return queues.run(name, async () => {
    const entry = intact(entries, name)
    const { keeper, output, feed, life, loaded } = entry
    const { wanted, current } = keeper.latest
    if (wanted !== 'running' && current) throw busy(entry, 'wait until it has ended')
    if (!isAtRest(entry)) return detailOf(entry)
    await keeper.change(restartPlan(loaded.deployment, Date.now()))
    await output.tell('started by the operator')
    feed.emit({ type: 'wanted', wanted: 'running' })
    life.resume()
    return detailOf(entry)
  })
}

async function remove(
  { entries, queues, keys }: SupervisorContext,
  { name }: Entry,
  { force, forgetKeys }: RemoveOptions,
): Promise<void> {
  await queues.run(name, async () => {
    // As it is now: it may have been replaced, or removed, while this waited.
    const entry = entries.get(name) ?? find(entries, name)
    if (!force) checkRemovable(entry)
    if ('keeper' in entry) {
      // It is saved with the end of what runs; on a full disk this makes the room.
      void entry.keeper.change(want('removed'))
      await entry.close({ kind: 'stop', detail: 'removed by the operator' })
      if (forgetKeys) keys.forgetKeys(entry.keeper.latest)
    }
    await removeTree(entry.folder)
    entries.delete(name)
  })
}

function checkRemovable(entry: Entry): void {
  if (!('keeper' in entry))
    throw new StartError('RECORD_DAMAGED', `${entry.error.message}; use --force`)
  if (!isAtRest(entry)) throw busy(entry, 'stop it first, or use --force')
}

function busy(entry: Supervised, hint: string): StartError {
  const { id } = entry.keeper.latest
  return new StartError('DEPLOYMENT_BUSY', `deployment ${id} is ${stateOf(entry)}: ${hint}`)
}

function watch(entry: Supervised): Watch {
  const { output, feed } = entry
  return { output, feed, detail: () => detailOf(entry), isAtRest: () => isAtRest(entry) }
}

async function interrupt(entry: Entry): Promise<void> {
  if ('keeper' in entry) await entry.close({ kind: 'interrupt' })
}
