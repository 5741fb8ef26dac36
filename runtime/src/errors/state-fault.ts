/** Explains what the state folder's disk refuses: the path, and what an operator can do. @module */
import { StartError } from './start-error.ts'

const remedies: Record<string, string> = {
  EROFS: 'the disk is mounted read-only: mount it for writing',
  EACCES: 'this user may not use it: give the folder to the user, or run as its owner',
  EPERM: 'this user may not use it: give the folder to the user, or run as its owner',
  ENOSPC: 'the disk is full: make room on it',
  EDQUOT: 'the quota of this user is used up: make room',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'a part of the path is no folder',
  ELOOP: 'a part of the path is a link that leads nowhere',
  EIO: 'the disk is damaged',
}

/**
 * The error to throw for one of the state folder: a system error says its path and a remedy. Others,
 * and those of files elsewhere, stay as they are.
 * @param folder the state folder, or one in it
 */
export function stateFault(folder: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code, syscall, path = folder, message } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  if (!path.startsWith(folder) && !folder.startsWith(path)) return error
  const what = message.includes(path) ? message : `${message}, ${path}`
  const remedy = remedies[code] ?? 'the disk refuses it'
  return new StartError(
    'STATE_UNREACHABLE',
    `state folder ${folder}: ${what}; ${remedy}, or choose another folder with --state`,
    { cause: error },
  )
}

/** Makes a handler of rejections. @throws what `stateFault` returns */
export function failedIn(folder: string): (error: unknown) => never {
  return (error) => {
    throw stateFault(folder, error)
  }
}

/** Runs work on the state folder. @throws StartError STATE_UNREACHABLE for a system error */
export function inState<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw stateFault(folder, error)
  }
}
