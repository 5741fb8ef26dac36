/** Folders that all daemons of a host share; they disappear when it restarts. @module */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, type Stats } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterwards } from '@causeway/service/failure'
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

/** Uses a new folder of this host, not of the state's disk; others may pass through it. */
export async function inSpareFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const volatile = process.getuid?.() === 0 ? '/run' : process.env['XDG_RUNTIME_DIR']
  const folder = mkdtempSync(join(volatile ?? tmpdir(), 'causeway-'))
  chmodSync(folder, 0o711)
  return afterwards(use(folder), () => rm(folder, { recursive: true, force: true }))
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
