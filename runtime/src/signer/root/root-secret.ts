/**
 * Stores the host's root secret, from which every key of the processor and its deployments is
 * derived.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readCredential } from './credential.ts'
import {
  createSecretFile,
  overwriteReplaced,
  readSecretFile,
  replaceSecretFile,
  syncFolder,
} from '../secret-file.ts'

/** Name of the file in the state folder, and of the systemd credential, which takes precedence. */
export const rootSecretName = 'causeway-root-secret'
const maxBytes = 4096

/** A stored root secret: 32 bytes, or sealed under a passphrase. */
export interface KeptRoot {
  place: 'file' | 'credential'
  path: string
  /** The caller zeroes it. */
  content: Buffer
}

/** Path of the file in a state folder. */
export function rootSecretFile(stateFolder: string): string {
  return join(stateFolder, rootSecretName)
}

/**
 * The systemd credential `causeway-root-secret`, else the file of that name in the state folder,
 * else undefined.
 * @throws Error naming the file when others may read it, it is another user's, or it is a link
 */
export function findRoot(stateFolder: string): KeptRoot | undefined {
  const credential = readCredential(rootSecretName)
  if (credential) return { place: 'credential', ...credential }
  const path = rootSecretFile(stateFolder)
  try {
    // Links are refused: a change would replace the link and leave the secret that it points to.
    return { place: 'file', path, content: readSecretFile(path, { maxBytes, followLink: false }) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw new Error(`${path}: expected a file, found a link`)
    throw error
  }
}

/** Whether there is a root secret, as a credential or a file. */
export function hasRoot(stateFolder: string): boolean {
  const kept = findRoot(stateFolder)
  kept?.content.fill(0)
  return kept !== undefined
}

/** Creates the file, unless another process created it first. */
export function createRoot(stateFolder: string, content: Uint8Array): void {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
  const file = rootSecretFile(stateFolder)
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  createSecretFile(draft, content)
  try {
    // Link, not rename: two daemons that start at once must both end up with the same secret.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  syncFolder(stateFolder)
}

/** Replaces the file's content atomically. The caller has the root's lock. */
export function replaceRoot(file: string, content: Uint8Array): void {
  const draft = `${file}.next`
  // Left over from an interrupted change.
  rmSync(draft, { force: true })
  replaceSecretFile(file, content, draft)
}

/**
 * Replaces the file's content, and overwrites the old bytes as far as the file system allows.
 * @returns whether no other name refers to the old bytes
 */
export function replaceRootForGood(file: string, content: Uint8Array): boolean {
  return overwriteReplaced(file, () => replaceRoot(file, content))
}

/** Gives the file a second name with the date. @returns that name */
export function keepOldRoot(file: string, now: Date): string {
  const old = `${file}.${now.toISOString().replaceAll(/[-:]/g, '')}.old`
  linkSync(file, old)
  syncFolder(dirname(file))
  return old
}
