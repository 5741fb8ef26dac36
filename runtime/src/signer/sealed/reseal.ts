/**
 * Reseals deployments' files of one kind during a rotation of the root secret. After a crash at any moment, every
 * file opens under whichever root secret is in force.
 * @module
 */
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere } from '@causeway/service/failure'
import { StartError } from '../../errors/start-error.ts'
import type { Resealable } from '../root/rotate-root.ts'
import { wiping } from '../secret-bytes.ts'
import { createSecretFile, syncFolder } from '../secret-file.ts'
import type { DeploymentLabel, RootKeys } from '../backend.ts'
import { nextFile, readSealed, type DeploymentFiles } from './deployment-files.ts'
import { open, seal, sealedLabel } from './seal.ts'

const names = /^(?<file>[0-9a-f]{32})(?:\.next)?$/
const drafts = /\.draft$/

/** The files of one kind, for a rotation to reseal. */
export function resealFiles(kind: DeploymentFiles): Resealable {
  return {
    *prepare(old, next) {
      for (const file of filesOf(kind)) {
        const sealed = findUnder(old, file, kind)
        if (!sealed) continue
        for (const label of labelsAfter(sealed.label, old, next)) {
          yield writeNext(kind, label, { old, next, sealed })
        }
      }
    },
    *settle(current, old) {
      const files = filesOf(kind)
      // All files are opened before any is deleted: nothing may be lost when one cannot be opened.
      const found = files.map((file) => ({ file, sealed: findUnder(current, file, kind) }))
      for (const { file, sealed } of found) {
        if (sealed?.isNext) renameSync(nextFile(file), file)
        else rmSync(nextFile(file), { force: true })
        if (sealed && old && isAccount(sealed.label, old)) rmSync(file)
        yield `settled ${file}`
      }
      removeDrafts(kind)
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
function findUnder(
  root: RootKeys,
  file: string,
  { purpose, what }: DeploymentFiles,
): Sealed | undefined {
  for (const isNext of [false, true]) {
    const bytes = readSealed(isNext ? nextFile(file) : file)
    const label = bytes && sealedLabel(bytes)
    const plaintext = label && open({ label, purpose }, root, bytes)
    plaintext?.fill(0)
    if (plaintext) return { label, bytes, isNext }
  }
  if (readSealed(file) === undefined) return undefined
  throw new StartError(
    'KEYS_INVALID',
    `${file}: expected ${what} sealed under this root secret, found a damaged or foreign file; remove it if nothing needs it`,
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
  files: DeploymentFiles,
  label: DeploymentLabel,
  { old, next, sealed }: { old: RootKeys; next: RootKeys; sealed: Sealed },
): string {
  const { path, purpose } = files
  const file = nextFile(files.fileOf(label))
  const plaintext = open({ label: sealed.label, purpose }, old, sealed.bytes)!
  wiping(plaintext, () => {
    rmSync(file, { force: true })
    createSecretFile(file, seal({ label, purpose }, next, plaintext))
  })
  syncFolder(path)
  return `wrote ${file}`
}

function filesOf({ path }: DeploymentFiles): string[] {
  const found = entries(path).flatMap((name) => names.exec(name)?.groups?.['file'] ?? [])
  return [...new Set(found)].map((name) => join(path, name))
}

/** Removes drafts of interrupted writes. No write is running: the rotation has the lock. */
function removeDrafts({ path }: DeploymentFiles): void {
  for (const name of entries(path)) {
    if (drafts.test(name)) rmSync(join(path, name))
  }
}

function entries(folder: string): string[] {
  return ifThere(() => readdirSync(folder).sort()) ?? []
}
