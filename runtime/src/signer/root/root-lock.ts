/**
 * Who may use the root secret at the same time: any number of bridges, or one that changes it.
 * @module
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { closeFd, lockFile } from '@causeway/native'
import { StartError } from '../../errors/start-error.ts'

/** Gives a lock back; the kernel does when the process ends. */
export type ReleaseLock = () => void

const useLock = 'root.lock'
const changeLock = 'root-change.lock'

/**
 * For as long as keys of this root are in use: no rotation meanwhile. Taken before the root is read.
 * @throws StartError ROOT_BUSY while the root is rotated
 */
export function lockRootInUse(stateFolder: string): ReleaseLock {
  return takeLock(stateFolder, useLock, 'shared', 'the root secret is being rotated')
}

/** For a rotation. @throws StartError ROOT_BUSY while a bridge or a keys command runs */
export function lockRootOutOfUse(stateFolder: string): ReleaseLock {
  const busy = 'bridges of this state folder are running: end them first'
  return takeLock(stateFolder, useLock, 'exclusive', busy)
}

/** For whoever writes the root's file: bridges may go on, another writer may not. */
export function lockRootChange(stateFolder: string): ReleaseLock {
  const busy = 'another command is changing the root secret'
  return takeLock(stateFolder, changeLock, 'exclusive', busy)
}

function takeLock(
  stateFolder: string,
  name: string,
  mode: 'shared' | 'exclusive',
  busy: string,
): ReleaseLock {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
  const fd = lockFile(join(stateFolder, name), mode)
  if (fd === undefined) throw new StartError('ROOT_BUSY', `${stateFolder}: ${busy}`)
  return () => closeFd(fd)
}
