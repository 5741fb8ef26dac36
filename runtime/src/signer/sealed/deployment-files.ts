/**
 * Keeps a secret of each deployment in the state folder: one file of mode 0600, sealed under the root
 * secret. A rotation of the root secret reseals the files of every kind that it is given.
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere } from '@causeway/service/failure'
import type { DeploymentLabel, RootKeys } from '../backend.ts'
import { labelPrefix } from '../labels.ts'
import { readSecretFile, replaceSecretFile, syncFolder } from '../secret-file.ts'
import { open, seal } from './seal.ts'

/** What such files hold. */
export interface FileKind {
  /** Folder of the files in the state folder. */
  folder: string
  /** Purpose in the derivation of the sealing key. */
  purpose: string
  /** Names the content in messages. */
  what: string
}

/** The files of one kind. */
export interface DeploymentFiles extends FileKind {
  /** Path of the folder. */
  readonly path: string
  /** A deployment's file. During a rotation there is also {@link nextFile}. */
  fileOf(label: DeploymentLabel): string
  /**
   * The content, which the caller zeroes; undefined when there is no file.
   * @throws Error naming the file that cannot be opened
   */
  read(label: DeploymentLabel, root: RootKeys): Buffer | undefined
  /** Replaces the file at once; the caller zeroes the content. */
  write(label: DeploymentLabel, root: RootKeys, content: Uint8Array): void
  /** @returns whether there was one */
  remove(label: DeploymentLabel): boolean
}

const maxBytes = 128 * 1024
const nameBytes = 16

/** The same content under the next root secret. */
export function nextFile(file: string): string {
  return `${file}.next`
}

export function deploymentFiles(stateFolder: string, kind: FileKind): DeploymentFiles {
  const path = join(stateFolder, kind.folder)
  const fileOf = (label: DeploymentLabel) => {
    const digest = createHash('sha256').update(labelPrefix(label)).digest()
    return join(path, digest.toString('hex', 0, nameBytes))
  }
  return {
    ...kind,
    path,
    fileOf,
    read: (label, root) => openEither(fileOf(label), kind, label, root),
    write(label, root, content) {
      mkdirSync(path, { recursive: true })
      chmodSync(path, 0o700)
      const file = fileOf(label)
      const draft = `${file}.${randomBytes(8).toString('hex')}.draft`
      replaceSecretFile(file, seal({ label, purpose: kind.purpose }, root, content), draft)
      rmSync(nextFile(file), { force: true })
    },
    remove(label) {
      const file = fileOf(label)
      const files = [nextFile(file), file].filter((name) => existsSync(name))
      for (const name of files) rmSync(name)
      if (files.length > 0) syncFolder(path)
      return files.length > 0
    },
  }
}

/** Sealed bytes of a file; undefined when there is none. */
export function readSealed(file: string): Buffer | undefined {
  return ifThere(() => readSecretFile(file, { maxBytes, followLink: false }))
}

/** Tries both files: after an interrupted rotation either may be sealed under the current root. */
function openEither(
  file: string,
  { purpose, what }: FileKind,
  label: DeploymentLabel,
  root: RootKeys,
): Buffer | undefined {
  const sealed = [file, nextFile(file)].flatMap((name) => readSealed(name) ?? [])
  if (sealed.length === 0) return undefined
  for (const bytes of sealed) {
    const content = open({ label, purpose }, root, bytes)
    if (content) return content
  }
  throw new Error(
    `${file}: expected this deployment's ${what}, sealed under this root secret; found a damaged or foreign file`,
  )
}
