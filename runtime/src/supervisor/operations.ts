/**
 * An operator's operations on an existing deployment: stop, start and remove. Each waits for
 * earlier operations on the same one, which may have replaced or removed it.
 * @module
 */
import { StartError } from '../errors/start-error.ts'
import { find, inTurn, undamaged, type Entry, type SupervisorContext } from './entries.ts'
import { want } from './record/record-changes.ts'
import { removeDeployment } from './record/store.ts'
import { restartPlan } from './restart-plan.ts'
import type { Supervised } from './supervised.ts'
import { detailOf, isAtRest, stateOf, type DeploymentDetail } from './summary.ts'

export interface RemoveOptions {
  /** Remove it even when it is running or damaged. */
  force: boolean
  /** Remove imported keys, too; derived keys are the same for the next deployment. */
  forgetKeys: boolean
}

export function stop(
  context: SupervisorContext,
  { name }: Supervised,
  graceMs?: number,
): Promise<DeploymentDetail> {
  return inTurn(context, name, async () => {
    const entry = undamaged(named(context, name))
    const { keeper, output, feed, life } = entry
    const { wanted } = keeper.latest
    // Changed first, so that the end of the daemon cannot come before, and not awaited: on a full
    // disk the job must end all the same.
    const saved = keeper.change(want('stopped'))
    if (wanted === 'running') await output.tell('stopped by the operator')
    tellDaemon(context, keeper.latest, 'stopped by the operator')
    const cause = { kind: 'stop', detail: 'stopped by the operator' } as const
    const ended = life.end({ ...cause, ...(graceMs !== undefined && { graceMs }) })
    await unlessRefused(
      entry,
      ended.then(() => saved),
    )
    feed.emit({ type: 'wanted', wanted: 'stopped' })
    // Lets followers of the log end: nothing more is to come.
    output.nudge()
    return detailOf(entry)
  })
}

/** @throws StartError RECORD_UNSAVED when nothing runs any more and the record cannot be saved */
async function unlessRefused({ keeper, life }: Supervised, done: Promise<void>): Promise<void> {
  const given = new AbortController()
  const refused = async () => {
    await life.over()
    // The first refusal may be from an attempt that started earlier, with less free space.
    await keeper.refused(given.signal)
    const { message } = await keeper.refused(given.signal)
    throw new StartError(
      'RECORD_UNSAVED',
      `deployment ${keeper.latest.id}: nothing of it runs any more, but its record cannot be saved: ${message}; this daemon keeps trying; if it is restarted before it succeeds, it continues the deployment`,
    )
  }
  await Promise.race([done, refused()]).finally(() => given.abort())
}

export function start(context: SupervisorContext, { name }: Supervised): Promise<DeploymentDetail> {
  return inTurn(context, name, async () => {
    const entry = undamaged(named(context, name))
    const { keeper, output, feed, life, loaded } = entry
    const { wanted, current } = keeper.latest
    if (wanted !== 'running' && current) throw busy(entry, 'wait until it has ended')
    if (!isAtRest(entry)) return detailOf(entry)
    await keeper.change(restartPlan(loaded.deployment, Date.now()))
    await output.tell('started by the operator')
    tellDaemon(context, keeper.latest, 'started by the operator')
    feed.emit({ type: 'wanted', wanted: 'running' })
    life.resume()
    return detailOf(entry)
  })
}

export async function remove(
  context: SupervisorContext,
  found: Entry,
  { force, forgetKeys }: RemoveOptions,
): Promise<void> {
  // Earlier work may be waiting for space on a full disk, which the removal frees.
  if (force && 'keeper' in found) found.keeper.stopRetrying()
  await inTurn(context, found.name, async () => {
    const entry = named(context, found.name)
    if (!force) checkRemovable(entry)
    if ('keeper' in entry) {
      // Not awaited: the change is saved with the end of the execution.
      void entry.keeper.change(want('removed'))
      await entry.close({ kind: 'stop', detail: 'removed by the operator' })
      if (forgetKeys) context.keys.forgetKeys(entry.keeper.latest)
    }
    await removeDeployment(entry.folder)
    context.entries.delete(entry.name)
    const known = 'keeper' in entry ? entry.keeper.latest : { name: entry.name }
    tellDaemon(context, known, 'removed by the operator')
  })
}

function tellDaemon(
  { log }: SupervisorContext,
  { id, name }: { id?: string; name: string },
  text: string,
): void {
  log.info({ ...(id !== undefined && { deployment: id }), name }, text)
}

/** @throws StartError DEPLOYMENT_UNKNOWN */
function named(context: SupervisorContext, name: string): Entry {
  return context.entries.get(name) ?? find(context, name)
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
