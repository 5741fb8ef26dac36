/**
 * Stores imported keys of deployments in the state folder, sealed under the root secret.
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors/start-error.ts'
import { decodeKeysFile, encodeKeysFile, type KeyCheck } from './keys-file.ts'
import { labelPrefix } from '../labels.ts'
import { openSealedKeys, sealKeys } from './sealed-keys.ts'
import { readSecretFile, replaceSecretFile, syncFolder } from '../secret-file.ts'
import type { DeploymentLabel, ImportedKeys, RootKeys } from '../backend.ts'

const maxBytes = 128 * 1024
const nameBytes = 16

/** Folder of all stored keys. */
export function storedKeysFolder(stateFolder: string): string {
  return join(stateFolder, 'keys')
}

/** A deployment's file. During a rotation there is also {@link nextFile}. */
export function storedKeysFile(stateFolder: string, label: DeploymentLabel): string {
  const digest = createHash('sha256').update(labelPrefix(label)).digest()
  return join(storedKeysFolder(stateFolder), digest.toString('hex', 0, nameBytes))
}

/** File for the same keys under the next root secret. */
export function nextFile(file: string): string {
  return `${file}.next`
}

/**
 * A deployment's imported keys, if there are any.
 * @throws StartError KEYS_INVALID naming the file that cannot be opened
 */
export function readStoredKeys(
  stateFolder: string,
  label: DeploymentLabel,
  root: RootKeys,
  isPrivateKey: KeyCheck,
): ImportedKeys | undefined {
  const file = storedKeysFile(stateFolder, label)
  try {
    const content = openStored(file, label, root)
    return content && decodeAndWipe(file, content, isPrivateKey)
  } catch (cause) {
    throw new StartError('KEYS_INVALID', (cause as Error).message, { cause })
  }
}

/** Seals a deployment's imported keys into its file and replaces earlier ones. */
export function writeStoredKeys(
  stateFolder: string,
  label: DeploymentLabel,
  root: RootKeys,
  keys: ImportedKeys,
): void {
  const folder = storedKeysFolder(stateFolder)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o700)
  const file = storedKeysFile(stateFolder, label)
  const content = encodeKeysFile(keys)
  try {
    const draft = `${file}.${randomBytes(8).toString('hex')}.draft`
    replaceSecretFile(file, sealKeys(label, root, content), draft)
  } finally {
    content.fill(0)
  }
  rmSync(nextFile(file), { force: true })
}

/** Removes a deployment's imported keys. @returns whether there were any */
export function removeStoredKeys(stateFolder: string, label: DeploymentLabel): boolean {
  const file = storedKeysFile(stateFolder, label)
  const files = [nextFile(file), file].filter((name) => existsSync(name))
  for (const name of files) rmSync(name)
  if (files.length > 0) syncFolder(storedKeysFolder(stateFolder))
  return files.length > 0
}

/** Sealed bytes of a file; undefined when there is none. */
export function readSealed(file: string): Buffer | undefined {
  try {
    return readSecretFile(file, { maxBytes, followLink: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Tries both files: after an interrupted rotation either may be sealed under the current root. */
function openStored(file: string, label: DeploymentLabel, root: RootKeys): Buffer | undefined {
  const sealed = [file, nextFile(file)].flatMap((name) => readSealed(name) ?? [])
  if (sealed.length === 0) return undefined
  for (const bytes of sealed) {
    const content = openSealedKeys(label, root, bytes)
    if (content) return content
  }
  throw new Error(
    `${file}: expected this deployment's imported keys, sealed under this root secret; found a damaged or foreign file`,
  )
}

function decodeAndWipe(file: string, content: Buffer, isPrivateKey: KeyCheck): ImportedKeys {
  try {
    return decodeKeysFile(file, content, isPrivateKey)
  } finally {
    content.fill(0)
  }
}
