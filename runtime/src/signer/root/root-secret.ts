/**
 * Where the host's root secret is kept, from which every key of the processor and its deployments
 * is derived.
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

/** Name of the file in the state folder, and of the systemd credential that replaces it. */
export const rootSecretName = 'causeway-root-secret'
const maxBytes = 4096

/** A root secret as it is kept: 32 bytes, or sealed under a passphrase. */
export interface KeptRoot {
  place: 'file' | 'credential'
  path: string
  /** For the caller to zero. */
  content: Buffer
}

/** Path of the file in a state folder. */
export function rootSecretFile(stateFolder: string): string {
  return join(stateFolder, rootSecretName)
}

/**
 * The systemd credential `causeway-root-secret` when there is one, else the file of that name in
 * the state folder; undefined when there is neither.
 * @throws Error naming the file when it is readable by others, somebody else's or a link.
 */
export function findRoot(stateFolder: string): KeptRoot | undefined {
  const credential = readCredential(rootSecretName)
  if (credential) return { place: 'credential', ...credential }
  const path = rootSecretFile(stateFolder)
  try {
    // No link: a change would replace the link and leave the secret that it names.
    return { place: 'file', path, content: readSecretFile(path, { maxBytes, followLink: false }) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw new Error(`${path}: expected a file, found a link`)
    throw error
  }
}

/** Whether there is one, wherever it is kept. */
export function hasRoot(stateFolder: string): boolean {
  const kept = findRoot(stateFolder)
  kept?.content.fill(0)
  return kept !== undefined
}

/** Makes the file; when another process was first, its content stays. */
export function createRoot(stateFolder: string, content: Uint8Array): void {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
  const file = rootSecretFile(stateFolder)
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  createSecretFile(draft, content)
  try {
    // Link, not rename: of two daemons that start at once, both must end up with the same secret.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  syncFolder(stateFolder)
}

/** Puts other content in the file's place, atomically. The caller holds the root's lock. */
export function replaceRoot(file: string, content: Uint8Array): void {
  const draft = `${file}.next`
  // Of a change that did not end.
  rmSync(draft, { force: true })
  replaceSecretFile(file, content, draft)
}

/**
 * The same, and overwrites the old bytes as far as the file system lets it.
 * @returns whether no other name leads to them
 */
export function replaceRootForGood(file: string, content: Uint8Array): boolean {
  return overwriteReplaced(file, () => replaceRoot(file, content))
}

/** Gives the file a second name that tells when. @returns it */
export function keepOldRoot(file: string, now: Date): string {
  const old = `${file}.${now.toISOString().replaceAll(/[-:]/g, '')}.old`
  linkSync(file, old)
  syncFolder(dirname(file))
  return old
}
