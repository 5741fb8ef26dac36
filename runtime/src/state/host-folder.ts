/** Folders that all daemons of a host share; they disappear when it restarts. @module */
import { lstatSync, mkdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors/start-error.ts'

/** The folder of all daemons of a host. */
export const sharedFolder = '/run/causeway'
const othersMayWrite = 0o022

/** Creates `/run/causeway/NAME`; only root can. @throws StartError SANDBOX_UNAVAILABLE */
export function hostFolder(name: string, shared = sharedFolder): string {
  const path = join(shared, name)
  for (const folder of [shared, path]) makeFolder(folder, shared)
  return path
}

function makeFolder(path: string, shared: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? makeNew(path, shared)
  // A link, or a user who may write here, could lead the next daemon to another folder.
  if (found.isDirectory() && found.uid === process.geteuid?.() && !(found.mode & othersMayWrite)) {
    return
  }
  const what = found.isDirectory() ? `uid ${found.uid}, mode ${octal(found.mode)}` : 'no folder'
  throw unusable(`${path} is ${what}`, shared)
}

function makeNew(path: string, shared: string): Stats {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // EEXIST: another process created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw unusable((error as Error).message, shared)
    }
  }
  return lstatSync(path)
}

const octal = (mode: number) => (mode & 0o7777).toString(8)

function unusable(found: string, shared: string): StartError {
  const expected = `expected ${shared} to be a folder of root that only root may write to`
  return new StartError('SANDBOX_UNAVAILABLE', `${expected}, found: ${found}`)
}
