/** Derives the key that authenticates an audit log's head. @module */
import { createHmac } from 'node:crypto'
import type { DeploymentLabel, RootKeys } from '../signer/backend.ts'
import { wiping } from '../signer/secret-bytes.ts'

/**
 * Calls `use` with the key of a deployment's log, and zeroes the key afterwards. Each log has its
 * own key, so that no log can replace another.
 */
export function withAuditKey<T>(
  root: Pick<RootKeys, 'deriveSecret'>,
  label: DeploymentLabel,
  number: number,
  use: (key: Uint8Array) => T,
): T {
  const key = root.deriveSecret(label, 'audit', 'hmac-sha256')
  return wiping(key, () => withKeyOfLog(key, number, use))
}

/** Derives a log's key from the deployment's key, which is the key of the first log. */
export function withKeyOfLog<T>(key: Uint8Array, number: number, use: (key: Uint8Array) => T): T {
  if (number === 1) return use(key)
  return wiping(createHmac('sha256', key).update(`causeway-audit-log/${number}`).digest(), use)
}
