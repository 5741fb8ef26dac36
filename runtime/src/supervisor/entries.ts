/** Keeps the supervisor's deployments, and finds one by its id or name. @module */
import { StartError } from '../errors/start-error.ts'
import type { Queues } from '@causeway/service/turns'
import { knownId } from './record/known-identity.ts'
import { referredTo, unknownDeployment } from './record/reference.ts'
import type { FoundDeployment } from './record/store.ts'
import { failureText } from './run/failure-text.ts'
import { superviseDeployment, type Supervised } from './supervised.ts'
import type { SupervisorOptions } from './supervisor-options.ts'
import { detailOf, summaryOf, type DeploymentDetail, type DeploymentSummary } from './summary.ts'

/** A supervised deployment, or one whose files are damaged. */
export type Entry = Supervised | Damaged

interface Damaged {
  name: string
  folder: string
  /** Absent when no file of it says it any more. */
  id?: string
  /** Names the stored file. */
  error: Error
}

/** State that all operations share. */
export interface SupervisorContext extends SupervisorOptions {
  entries: Map<string, Entry>
  /** How many deployments an earlier supervisor left, and the names of those that do not go on yet. */
  recovery: { total: number; pending: Set<string> }
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
    const id = knownId(paths)
    options.log.error({ err: error, deployment: id ?? name }, 'deployment cannot be read')
    return { name, folder: paths.folder, ...(id && { id }), error: naming(paths.folder, error) }
  }
}

/** The error, with the deployment's folder where its text names no stored file. */
function naming(folder: string, error: unknown): Error {
  const text = failureText(error)
  return text.includes(folder) ? (error as Error) : new Error(`${folder}: ${text}`)
}

export function summarise(entry: Entry): DeploymentSummary {
  if ('keeper' in entry) return summaryOf(entry)
  const { name, id, error } = entry
  return { name, ...(id !== undefined && { id }), state: 'damaged', error: error.message }
}

export function detailed(entry: Entry): DeploymentDetail {
  return 'keeper' in entry ? detailOf(entry) : summarise(entry)
}

function idOf(entry: Entry): string | undefined {
  return 'keeper' in entry ? entry.keeper.latest.id : entry.id
}

type Known = Pick<SupervisorContext, 'entries' | 'recovery'>

/** @throws StartError DEPLOYMENT_UNKNOWN; DAEMON_STARTING when it may be one that is not read yet */
export function find({ entries, recovery }: Known, reference: string): Entry {
  const all = [...entries.values()].map((entry) => ({ entry, name: entry.name, id: idOf(entry) }))
  const found = referredTo(all, reference)
  if (found) return found.entry
  if (recovery.pending.size > 0) throw stillStarting(reference, recovery)
  throw unknownDeployment(reference)
}

export function stillStarting(
  reference: string,
  { total, pending }: SupervisorContext['recovery'],
): StartError {
  const done = total - pending.size
  return new StartError(
    'DAEMON_STARTING',
    `${reference}: the daemon has just started and has continued ${done} of ${total} deployments; try again`,
  )
}

/** Finds an undamaged deployment. @throws StartError as `find`, and RECORD_DAMAGED */
export function intact(known: Known, reference: string): Supervised {
  return undamaged(find(known, reference))
}

/** @throws StartError RECORD_DAMAGED */
export function undamaged(entry: Entry): Supervised {
  if ('keeper' in entry) return entry
  throw new StartError('RECORD_DAMAGED', `${entry.error.message}; causeway rm --force removes it`)
}
