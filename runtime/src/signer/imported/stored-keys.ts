/**
 * Stores imported keys of deployments in the state folder, sealed under the root secret.
 * @module
 */
import { StartError } from '../../errors/start-error.ts'
import type { DeploymentLabel, ImportedKeys, RootKeys } from '../backend.ts'
import { deploymentFiles, type DeploymentFiles } from '../sealed/deployment-files.ts'
import { decodeKeysFile, encodeKeysFile, type KeyCheck } from './keys-file.ts'

/** The files with imported keys; `docs/keys.md` has the format byte by byte. */
export function storedKeys(stateFolder: string): DeploymentFiles {
  return deploymentFiles(stateFolder, { folder: 'keys', purpose: 'store', what: 'imported keys' })
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
  const files = storedKeys(stateFolder)
  try {
    const content = files.read(label, root)
    return content && decodeAndWipe(files.fileOf(label), content, isPrivateKey)
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
  const content = encodeKeysFile(keys)
  try {
    storedKeys(stateFolder).write(label, root, content)
  } finally {
    content.fill(0)
  }
}

function decodeAndWipe(file: string, content: Buffer, isPrivateKey: KeyCheck): ImportedKeys {
  try {
    return decodeKeysFile(file, content, isPrivateKey)
  } finally {
    content.fill(0)
  }
}
