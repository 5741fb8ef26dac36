/**
 * The key of an audit log's head.
 * @module
 */
import { createHmac } from 'node:crypto'
import type { DeploymentLabel, RootKeys } from '../signer/backend.ts'

/**
 * Calls with the key of a deployment's log, by number; it is zeroed afterwards. Each log has its
 * own, so that none can be put in the place of another.
 */
export function withAuditKey<T>(
  root: Pick<RootKeys, 'deriveSecret'>,
  label: DeploymentLabel,
  number: number,
  use: (key: Uint8Array) => T,
): T {
  const key = root.deriveSecret(label, 'audit', 'hmac-sha256')
  try {
    return withKeyOfLog(key, number, use)
  } finally {
    key.fill(0)
  }
}

/** The same from the deployment's key, which is that of its first log. */
export function withKeyOfLog<T>(key: Uint8Array, number: number, use: (key: Uint8Array) => T): T {
  if (number === 1) return use(key)
  const own = createHmac('sha256', key).update(`causeway-audit-log/${number}`).digest()
  try {
    return use(own)
  } finally {
    own.fill(0)
  }
}
