/**
 * Reseals imported keys during a rotation of the root secret. After a crash at any moment, every
 * file opens under whichever root secret is in force.
 * @module
 */
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors/start-error.ts'
import type { Resealable } from '../root/rotate-root.ts'
import { openSealedKeys, sealedLabel, sealKeys } from './sealed-keys.ts'
import { createSecretFile, syncFolder } from '../secret-file.ts'
import type { DeploymentLabel, RootKeys } from '../backend.ts'
import { nextFile, readSealed, storedKeysFile, storedKeysFolder } from './stored-keys.ts'

const names = /^(?<file>[0-9a-f]{32})(?:\.next)?$/
const drafts = /\.draft$/

/** The imported keys of a state folder, for a rotation to reseal. */
export function resealStoredKeys(stateFolder: string): Resealable {
  return {
    *prepare(old, next) {
      for (const file of storedFiles(stateFolder)) {
        const sealed = findUnder(old, file)
        if (!sealed) continue
        for (const label of labelsAfter(sealed.label, old, next)) {
          yield writeNext(stateFolder, label, old, next, sealed)
        }
      }
    },
    *settle(current, old) {
      const files = storedFiles(stateFolder)
      // All files are opened before any is deleted: nothing may be lost when one cannot be opened.
      const found = files.map((file) => ({ file, sealed: findUnder(current, file) }))
      for (const { file, sealed } of found) {
        if (sealed?.isNext) renameSync(nextFile(file), file)
        else rmSync(nextFile(file), { force: true })
        if (sealed && old && isAccount(sealed.label, old)) rmSync(file)
        yield `settled ${file}`
      }
      removeDrafts(stateFolder)
    },
  }
}

interface Sealed {
  label: DeploymentLabel
  bytes: Buffer
  /** The bytes are from the `.next` file, sealed under the next root secret. */
  isNext: boolean
}

/**
 * Undefined when the only file is left over from an aborted rotation.
 * @throws StartError KEYS_INVALID when the file exists and does not open
 */
function findUnder(root: RootKeys, file: string): Sealed | undefined {
  for (const isNext of [false, true]) {
    const bytes = readSealed(isNext ? nextFile(file) : file)
    const label = bytes && sealedLabel(bytes)
    const plaintext = label && openSealedKeys(label, root, bytes)
    plaintext?.fill(0)
    if (plaintext) return { label, bytes, isNext }
  }
  if (readSealed(file) === undefined) return undefined
  throw new StartError(
    'KEYS_INVALID',
    `${file}: expected imported keys sealed under this root secret, found a damaged or foreign file; remove it if nothing needs it`,
  )
}

/** A deployment without a source has the account as its source, which a rotation changes. */
function labelsAfter(label: DeploymentLabel, old: RootKeys, next: RootKeys): DeploymentLabel[] {
  return isAccount(label, old) ? [label, { ...label, source: next.account }] : [label]
}

function isAccount({ source }: DeploymentLabel, { account }: RootKeys): boolean {
  return Buffer.compare(source, account) === 0
}

function writeNext(
  stateFolder: string,
  label: DeploymentLabel,
  old: RootKeys,
  next: RootKeys,
  sealed: Sealed,
): string {
  const file = nextFile(storedKeysFile(stateFolder, label))
  const plaintext = openSealedKeys(sealed.label, old, sealed.bytes)!
  try {
    rmSync(file, { force: true })
    createSecretFile(file, sealKeys(label, next, plaintext))
  } finally {
    plaintext.fill(0)
  }
  syncFolder(storedKeysFolder(stateFolder))
  return `wrote ${file}`
}

function storedFiles(stateFolder: string): string[] {
  const found = entries(stateFolder).flatMap((name) => names.exec(name)?.groups?.['file'] ?? [])
  return [...new Set(found)].map((name) => join(storedKeysFolder(stateFolder), name))
}

/** Removes drafts of interrupted imports. No import is running: the rotation has the lock. */
function removeDrafts(stateFolder: string): void {
  for (const name of entries(stateFolder)) {
    if (drafts.test(name)) rmSync(join(storedKeysFolder(stateFolder), name))
  }
}

function entries(stateFolder: string): string[] {
  try {
    return readdirSync(storedKeysFolder(stateFolder)).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
