/**
 * What an execution's folder tells of the place it was, so that its root can be used again.
 * @module
 */
import { chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors/start-error.ts'
import { closedAncestor } from '../state/state-folders.ts'

export interface PlaceNote {
  /** Whose files the root has. */
  uid: number
  /** How the root is made, as far as another way would not find its files. */
  kind: string
  /** In which life of the host it was written. */
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

/** Names this life of the host. */
export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
}

/** @throws StartError ROOT_LOST when an earlier root can't be used again */
export function checkNote(folder: string, earlier: PlaceNote, now: PlaceNote): void {
  const lost = (why: string) => new StartError('ROOT_LOST', `${folder}: ${why}`)
  if (earlier.uid !== now.uid) {
    throw lost(`its files are those of uid ${earlier.uid}, which another job has now`)
  }
  if (earlier.kind !== now.kind) {
    throw lost(
      `its root was made otherwise (${earlier.kind}) than this host does now (${now.kind})`,
    )
  }
  // Nothing that a job wrote is synced to the disk.
  if (earlier.bootId !== now.bootId) throw lost('the host was started anew since it was written')
}

/**
 * Notes it, and opens the folder to the job: its group may pass through to its root; nobody else
 * may, and it may not look around.
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
