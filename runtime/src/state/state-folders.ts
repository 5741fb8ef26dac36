/** Opens the state folder, which keeps all data that outlives a run. @module */
import { chmodSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../errors/start-error.ts'
import { inState } from '../errors/state-fault.ts'
import { checkFormat, markFormat } from './state-format.ts'

/** Paths inside the state folder. */
export interface StateFolders {
  root: string
  images: string
  deployments: string
}

const rootUid = 0
const othersMayEnter = 0o001
const othersMayWrite = 0o022

/**
 * Creates the folders below `--state DIR`, else `$XDG_STATE_HOME/causeway`, else
 * `/var/lib/causeway` for root and `~/.local/state/causeway` for others.
 * @throws StartError STATE_UNREACHABLE when a folder can't be made, or belongs to or is writable by
 *   other users; STATE_NEWER, before anything is made
 */
export function openState(folder: string | undefined): StateFolders {
  const named = stateRoot(folder)
  checkCharacters(named)
  checkFormat(named)
  return inState(named, () => makeFolders(named))
}

function makeFolders(named: string): StateFolders {
  makeParents(dirname(named))
  // A job with its own uid must be able to walk to its root without seeing other files on the way.
  ensureFolder(named, 0o711)
  // Resolved: inside a job's mounts, an absolute link would lead back out of them.
  const root = realpathSync(named)
  checkCharacters(root)
  const state = { root, images: join(root, 'images'), deployments: join(root, 'deployments') }
  ensureFolder(state.deployments, 0o711)
  ensureFolder(state.images, 0o700)
  markFormat(root)
  return state
}

/** Not by Node's `recursive`: below /proc, which takes no folders, that never ends. */
function makeParents(path: string): void {
  if (existsSync(path)) return
  makeParents(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** PRoot ends a path at a colon, and an overlay at a comma. */
function checkCharacters(root: string): void {
  if (!/[:,]/.test(root)) return
  const expected = 'expected a path without ":" and ","'
  throw new StartError('STATE_UNREACHABLE', `state folder ${root}: ${expected}`)
}

/** Path of the state folder, which may not exist yet. */
export function stateRoot(folder: string | undefined): string {
  return resolve(folder ?? defaultFolder())
}

/** Creates a folder; an existing one keeps its mode, which must be safe. */
function ensureFolder(path: string, mode: number): void {
  try {
    mkdirSync(path)
    chmodSync(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    checkFolder(path)
  }
}

function checkFolder(path: string): void {
  const { uid, mode } = statSync(path)
  const expected = `expected a folder of uid ${process.getuid?.()} that only it may write to`
  if (uid === process.getuid?.() && (mode & othersMayWrite) === 0) return
  const found = `uid ${uid} and mode ${(mode & 0o7777).toString(8)}`
  throw new StartError('STATE_UNREACHABLE', `state folder ${path}: ${expected}, found ${found}`)
}

/** The nearest folder at or above `path` that other users may not enter, if any. */
export function closedAncestor(path: string): string | undefined {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & othersMayEnter) === 0) return folder
    if (folder === dirname(folder)) return undefined
  }
}

/** Whether this process can give each deployment its own uid. */
export function isRoot(): boolean {
  return process.getuid?.() === rootUid
}

function defaultFolder(): string {
  const xdg = process.env['XDG_STATE_HOME']
  if (xdg) return join(xdg, 'causeway')
  return isRoot() ? '/var/lib/causeway' : join(homedir(), '.local/state/causeway')
}
