/**
 * Stores imported keys of deployments in the state folder, sealed under the root secret.
 * @module
 */
import type { DeploymentLabel, ImportedKeys, RootKeys } from '../backend.ts'
import { deploymentFiles, type DeploymentFiles } from '../sealed/deployment-files.ts'
import { wiping } from '../secret-bytes.ts'
import { orKeysInvalid } from './imported-keys.ts'
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
  return orKeysInvalid(() => {
    const content = files.read(label, root)
    const file = files.fileOf(label)
    return content && wiping(content, () => decodeKeysFile(file, content, isPrivateKey))
  })
}

/** Seals a deployment's imported keys into its file and replaces earlier ones. */
export function writeStoredKeys(
  stateFolder: string,
  label: DeploymentLabel,
  root: RootKeys,
  keys: ImportedKeys,
): void {
  wiping(encodeKeysFile(keys), (content) => storedKeys(stateFolder).write(label, root, content))
}
