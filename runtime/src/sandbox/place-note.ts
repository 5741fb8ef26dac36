/** The note in an execution's folder by which its root can be used again. @module */
import { chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors/start-error.ts'
import { closedAncestor } from '../state/state-folders.ts'

export interface PlaceNote {
  /** Owner of the root's files. */
  uid: number
  /** How the root was made: made in another way, it would lack the job's files. */
  kind: string
  /** The host's boot id when the note was written. */
  bootId: string
}

const noteFile = 'place'

/** The note of an earlier place; undefined in a new folder. */
export function readNote(folder: string): PlaceNote | undefined {
  const path = join(folder, noteFile)
  if (!existsSync(path)) return undefined
  const [uid = '', kind = '', bootId = ''] = readFileSync(path, 'utf8').trim().split('\n')
  return { uid: Number(uid), kind, bootId }
}

/** The host's boot id, another one after each restart. */
export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
}

/** @throws StartError ROOT_LOST when an earlier root can't be used again */
export function checkNote(folder: string, earlier: PlaceNote, now: PlaceNote): void {
  const lost = (why: string) => new StartError('ROOT_LOST', `${folder}: ${why}`)
  if (earlier.uid !== now.uid) {
    throw lost(`its files belong to uid ${earlier.uid}, which another job has now`)
  }
  if (earlier.kind !== now.kind) {
    throw lost(
      `its root was made in another way (${earlier.kind}) than this host does now (${now.kind})`,
    )
  }
  // What a job wrote is not synced to the disk: a restart of the host loses it.
  if (earlier.bootId !== now.bootId) throw lost('the host was restarted after it was written')
}

/**
 * Writes the note, and opens the folder to the job's group, which may pass through to the root but
 * not list the folder; nobody else may enter.
 * @param isOwn whether the uid is the job's alone
 * @throws StartError STATE_UNREACHABLE
 */
export function openFolder(folder: string, note: PlaceNote, isOwn: boolean): void {
  const { uid, kind, bootId } = note
  writeFileSync(join(folder, noteFile), `${uid}\n${kind}\n${bootId}\n`, { mode: 0o600 })
  if (!isOwn) return
  chownSync(folder, process.getuid?.() ?? 0, uid)
  chmodSync(folder, 0o711)
  const closed = closedAncestor(folder)
  chmodSync(folder, 0o710)
  if (closed === undefined) return
  throw new StartError(
    'STATE_UNREACHABLE',
    `${closed}: the job's uid can't enter this folder (expected mode o+x); choose another with --state`,
  )
}
