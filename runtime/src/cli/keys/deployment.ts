/** What the `keys` commands need: the identity of a deployment, and the root keys. @module */
import { hardenProcess } from '@causeway/native/process'
import { orUndoNow } from '@causeway/service/failure'
import { loadConfig } from '../../config/config.ts'
import {
  identify,
  importedKeysOf,
  labelOf,
  type IdentityFields,
  type Identity,
} from '../../deployment/identity.ts'
import { chooseBackend } from '../../signer/choose-backend.ts'
import { noKeys, wipeImported } from '../../signer/imported/imported-keys.ts'
import {
  openKnown,
  unlockRoot,
  type RootOptions,
  type UnlockedRoot,
} from '../../signer/root/open-root.ts'
import { lockRootInUse } from '../../signer/root/root-lock.ts'
import type {
  DeploymentLabel,
  ImportedKeys,
  RootKeys,
  SignerBackend,
} from '../../signer/backend.ts'
import { readStoredKeys } from '../../signer/imported/stored-keys.ts'
import { openState } from '../../state/state-folders.ts'
import { passphraseOf, type SharedOptions } from '../options.ts'
import { findDeployment } from './find-deployment.ts'

/** How a host keeps its root secret. */
export type RootKeeping = Pick<UnlockedRoot, 'place' | 'path'> & { sealed: boolean }

export interface DeploymentKeys {
  deployment: IdentityFields
  identity: Identity
  label: DeploymentLabel
  stateFolder: string
  backend: SignerBackend
  root: RootKeys
  keeping: RootKeeping
}

/**
 * Calls `use` with a deployment's keys; the root secret can not be rotated meanwhile.
 * @param reference as {@link findDeployment} takes it
 */
export async function withDeploymentKeys<T>(
  reference: string,
  flags: SharedOptions,
  use: (keys: DeploymentKeys) => T,
): Promise<T> {
  hardenProcess()
  const config = loadConfig(flags.config)
  const { backend } = await chooseBackend(config.signer.backend)
  const deployment = await findDeployment(reference, flags)
  const stateFolder = openState(flags.state).root
  const release = lockRootInUse(stateFolder)
  try {
    const { root, keeping } = await openRoot(backend, { stateFolder, ...passphraseOf(flags) })
    try {
      const identity = identify(deployment, root.account, config.processor)
      const label = labelOf(identity)
      return use({ deployment, identity, label, stateFolder, backend, root, keeping })
    } finally {
      root.destroy()
    }
  } finally {
    release()
  }
}

/** Reads the keys that replace derived ones, by where they come from. */
export function importsOf(keys: DeploymentKeys): { file: ImportedKeys; stored: ImportedKeys } {
  const { deployment, stateFolder, label, root, backend } = keys
  const stored = readStoredKeys(stateFolder, label, root, backend.isPrivateKey) ?? noKeys
  return orUndoNow(
    () => ({ file: importedKeysOf(deployment, backend), stored }),
    () => wipeImported(stored),
  )
}

async function openRoot(
  backend: SignerBackend,
  options: RootOptions,
): Promise<{ root: RootKeys; keeping: RootKeeping }> {
  const unlocked = await unlockRoot(options)
  try {
    const { place, path, passphrase } = unlocked
    const keeping = { place, path, sealed: passphrase !== undefined }
    return { root: openKnown(unlocked, backend, options), keeping }
  } finally {
    unlocked.wipe()
  }
}
