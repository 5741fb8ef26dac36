/**
 * Locks on the root secret: any number of bridges may use it at once, or one command changes it.
 * @module
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { closeFd, lockFile } from '@causeway/native/process'
import { StartError } from '../../errors/start-error.ts'
import { inState } from '../../errors/state-fault.ts'

/** Releases a lock; the kernel does so when the process ends. */
export type ReleaseLock = () => void

const useLock = 'root.lock'
const changeLock = 'root-change.lock'

/**
 * Keeps rotations out while keys of this root are in use. Taken before the root is read.
 * @throws StartError ROOT_BUSY while the root is rotated
 */
export function lockRootInUse(stateFolder: string): ReleaseLock {
  return takeLock(stateFolder, useLock, 'shared', 'the root secret is being rotated')
}

/** Locks the root for a rotation. @throws StartError ROOT_BUSY while a bridge or command uses it */
export function lockRootOutOfUse(stateFolder: string): ReleaseLock {
  const busy = 'bridges of this state folder are running: stop them first'
  return takeLock(stateFolder, useLock, 'exclusive', busy)
}

/** Keeps other writers of the root's file out; bridges may go on. @throws StartError ROOT_BUSY */
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
  const fd = inState(stateFolder, () => {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
    return lockFile(join(stateFolder, name), mode)
  })
  if (fd === undefined) throw new StartError('ROOT_BUSY', `${stateFolder}: ${busy}`)
  return () => closeFd(fd)
}
