/** Keeps the supervisor's deployments, and finds one by its id or name. @module */
import { StartError } from '../errors/start-error.ts'
import type { Queues } from '@causeway/service/turns'
import { referredTo, unknownDeployment } from './record/reference.ts'
import type { FoundDeployment } from './record/store.ts'
import { superviseDeployment, type Supervised } from './supervised.ts'
import type { SupervisorOptions } from './supervisor-options.ts'
import { detailOf, summaryOf, type DeploymentDetail, type DeploymentSummary } from './summary.ts'

/** A supervised deployment, or one whose files are damaged. */
export type Entry = Supervised | { name: string; folder: string; error: Error }

/** State that all operations share. */
export interface SupervisorContext extends SupervisorOptions {
  entries: Map<string, Entry>
  queues: Queues
  isClosing: boolean
}

/**
 * Queues work on a deployment behind earlier work on it.
 * @throws StartError DAEMON_UNREACHABLE when the daemon is ending by then
 */
export function inTurn<T>(
  context: SupervisorContext,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  return context.queues.run(name, async () => {
    refuseWhenClosing(context)
    return work()
  })
}

/** @throws StartError DAEMON_UNREACHABLE */
export function refuseWhenClosing({ isClosing }: SupervisorContext): void {
  if (isClosing) throw new StartError('DAEMON_UNREACHABLE', 'the daemon is ending')
}

/** An unreadable deployment is shown as damaged; it must not keep the others from running. */
export async function adopt(found: FoundDeployment, options: SupervisorOptions): Promise<Entry> {
  const { name, paths } = found
  try {
    if ('error' in found) throw found.error
    return await superviseDeployment(paths, found.record, options)
  } catch (error) {
    options.log.error({ err: error, deployment: name }, 'deployment cannot be read')
    return { name, folder: paths.folder, error: error as Error }
  }
}

export function summarise(entry: Entry): DeploymentSummary {
  if ('keeper' in entry) return summaryOf(entry)
  return { name: entry.name, state: 'damaged', error: entry.error.message }
}

export function detailed(entry: Entry): DeploymentDetail {
  return 'keeper' in entry ? detailOf(entry) : summarise(entry)
}

/** @throws StartError DEPLOYMENT_UNKNOWN */
export function find(entries: ReadonlyMap<string, Entry>, reference: string): Entry {
  const all = [...entries.values()].map((entry) => ({
    entry,
    name: entry.name,
    id: 'keeper' in entry ? entry.keeper.latest.id : undefined,
  }))
  const found = referredTo(all, reference)
  if (found) return found.entry
  throw unknownDeployment(reference)
}

/** Finds an undamaged deployment. @throws StartError DEPLOYMENT_UNKNOWN, RECORD_DAMAGED */
export function intact(entries: ReadonlyMap<string, Entry>, reference: string): Supervised {
  return undamaged(find(entries, reference))
}

/** @throws StartError RECORD_DAMAGED */
export function undamaged(entry: Entry): Supervised {
  if ('keeper' in entry) return entry
  throw new StartError('RECORD_DAMAGED', `${entry.error.message}; causeway rm --force removes it`)
}
