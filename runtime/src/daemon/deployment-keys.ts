/**
 * Connects deployments to the host's root keys: their identity, and the store of imported keys.
 * @module
 */
import type { Deployment } from '@causeway/manifest'
import { identify, importedKeysOf, labelOf, type Identity } from '../deployment/identity.ts'
import type { DeploymentKeys } from '../supervisor/new-deployment.ts'
import type { Host } from '../host/host.ts'
import { mergeImported, noKeys, wipeImported } from '../signer/imported/imported-keys.ts'
import type { RootKeys } from '../signer/backend.ts'
import { readStoredKeys, storedKeys, writeStoredKeys } from '../signer/imported/stored-keys.ts'

export function deploymentKeys(
  { config, backend, state }: Pick<Host, 'config' | 'backend' | 'state'>,
  root: RootKeys,
): DeploymentKeys {
  return {
    identify: (deployment) => identify(deployment, root.account, config.processor),
    importKeys(deployment, identity) {
      if (deployment.keys !== undefined) importKeys(deployment, identity)
    },
    forgetKeys: ({ id, origin }) => void storedKeys(state.root).remove(labelOf({ id, origin })),
  }

  /** Keys from the file replace stored ones, as if the file were read at every start. */
  function importKeys(deployment: Deployment, identity: Identity): void {
    const label = labelOf(identity)
    const stored = readStoredKeys(state.root, label, root, backend.isPrivateKey) ?? noKeys
    const keys = mergeImported(importedKeysOf(deployment, backend), stored)
    try {
      writeStoredKeys(state.root, label, root, keys)
    } finally {
      wipeImported(keys)
    }
  }
}
