/**
 * Opens a deployment's identity and keys, and the log of their uses. Only this module uses the
 * host's root secret for deployments.
 * @module
 */
import { join } from 'node:path'
import { hardenProcess } from '@causeway/native/process'
import type { Deployment } from '@causeway/manifest'
import { orUndo, orUndoNow } from '@causeway/service/failure'
import type { Logger } from '@causeway/service/log'
import { withAuditKey } from '../audit/audit-key.ts'
import { openAuditLog } from '../audit/audit-log.ts'
import { createKeyUses, noKeyUses, type KeyUses } from '../audit/key-uses.ts'
import type { Config } from '../config/config.ts'
import { hexValues } from '../deployment/handlers.ts'
import { identify, importedKeysOf, labelOf, type Identity } from '../deployment/identity.ts'
import type { SignerKeyUse } from '../signer/handlers.ts'
import { mergeImported, noKeys, wipeImported } from '../signer/imported/imported-keys.ts'
import { createKeyring, type Keyring } from '../signer/keyring.ts'
import { openRootKeys } from '../signer/root/open-root.ts'
import { lockRootInUse } from '../signer/root/root-lock.ts'
import type { RootKeys, SignerBackend } from '../signer/backend.ts'
import { readStoredKeys } from '../signer/imported/stored-keys.ts'

export interface KeysOptions {
  config: Config
  backend: SignerBackend
  /** Folder with the root secret and the audit logs. */
  stateFolder: string
  /** File with the passphrase of the root secret. */
  passphraseFile?: string
  log: Logger
  /** Whether uses of keys are logged; only measurements turn it off. Default true. */
  audit?: boolean
}

/** Open keys of a deployment. */
export interface OpenKeys {
  identity: Identity
  keyring: Keyring
  uses: KeyUses<SignerKeyUse>
  /** Zeroes the keys and closes the log. */
  readonly close: () => void
}

/** The host's root secret, open for any number of deployments. */
export interface HostKeys {
  root: RootKeys
  /** @throws StartError; then nothing of the deployment stays open */
  openFor(deployment: Deployment): OpenKeys
  /** Zeroes the root secret; keys of deployments stay open. */
  close(): void
}

/** @throws StartError, or Error about the root secret; then nothing stays open */
export async function openHostKeys(options: KeysOptions): Promise<HostKeys> {
  hardenProcess()
  const release = lockRootInUse(options.stateFolder)
  const root = await orUndo(() => openRootKeys(options), release)
  return {
    root,
    openFor: (deployment) => openUnder(root, deployment, options),
    close: inOrder(() => root.destroy(), release),
  }
}

/** Opens keys of one deployment. Zeroes the root at once; its folder stays locked until `close`. */
export async function openKeys(deployment: Deployment, options: KeysOptions): Promise<OpenKeys> {
  const release = lockRootInUse(options.stateFolder)
  const open = async () => {
    const host = await openHostKeys(options)
    try {
      return host.openFor(deployment)
    } finally {
      host.close()
    }
  }
  const keys = await orUndo(open, release)
  return { ...keys, close: inOrder(keys.close, release) }
}

function openUnder(root: RootKeys, deployment: Deployment, options: KeysOptions): OpenKeys {
  const identity = identify(deployment, root.account, options.config.processor)
  const keyring = openKeyring(root, identity, deployment, options)
  const open = () => openUses(root, identity, keyring, options)
  const { uses, close } = orUndoNow(open, keyring.destroy)
  return { identity, keyring, uses, close: inOrder(keyring.destroy, close) }
}

/** Imported keys replace derived ones; keys of the deployment's file come before stored ones. */
function openKeyring(
  root: RootKeys,
  identity: Identity,
  deployment: Deployment,
  { backend, stateFolder }: KeysOptions,
): Keyring {
  const label = labelOf(identity)
  const stored = readStoredKeys(stateFolder, label, root, backend.isPrivateKey) ?? noKeys
  try {
    const imported = mergeImported(importedKeysOf(deployment, backend), stored)
    return createKeyring(root.deriveKeys(label, imported))
  } finally {
    wipeImported(stored)
  }
}

function openUses(
  root: RootKeys,
  identity: Identity,
  { publicKeys, encryptionKeys }: Keyring,
  { backend, config, stateFolder, log, audit = true }: KeysOptions,
): Pick<OpenKeys, 'uses' | 'close'> {
  if (!audit) return { uses: noKeyUses, close: () => {} }
  const label = labelOf(identity)
  const facts = {
    deployment: identity.id,
    origin: identity.origin,
    publicKeys: hexValues(publicKeys),
    encryptionKeys: hexValues(encryptionKeys),
  }
  const folder = join(stateFolder, 'audit')
  const auditLog = withAuditKey(root, label, 1, (key) =>
    openAuditLog({ ...config.audit, folder, label, key, backend: backend.name, facts, log }),
  )
  return { uses: createKeyUses(auditLog), close: () => auditLog.close() }
}

/** Runs both, even if the first throws. */
function inOrder(first: () => void, second: () => void): () => void {
  return () => {
    try {
      first()
    } finally {
      second()
    }
  }
}
