/**
 * Reseals the heads of audit logs during a rotation of the root secret. After a crash at any
 * moment, one head of each log is authentic under whichever root secret is in force.
 * @module
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere } from '@causeway/service/failure'
import type { Resealable } from '../signer/root/rotate-root.ts'
import type { DeploymentLabel } from '../signer/backend.ts'
import { withAuditKey } from './audit-key.ts'
import { headName } from './files/folder.ts'
import { formatHead, readHead } from './head.ts'
import { ownerOfFolder } from './files/label-file.ts'
import { nextHeadPath, settleHead } from './next-head.ts'

/** One deployment's log. */
interface KeptLog {
  path: string
  label: DeploymentLabel
  number: number
}

/** The audit logs below a folder, for a rotation to reseal. */
export function resealAuditHeads(folder: string): Resealable {
  return {
    *prepare(old, next) {
      for (const { path, label, number } of logsIn(folder)) {
        const head = withAuditKey(old, label, number, (key) => readHead(join(path, headName), key))
        // A head that fails verification must not be resealed into one that passes.
        if (head.state !== 'authentic') continue
        const text = withAuditKey(next, label, number, (key) => formatHead(head, key))
        writeFileSync(nextHeadPath(path), text, { mode: 0o600, flush: true })
        yield `wrote ${nextHeadPath(path)}`
      }
    },
    *settle(current) {
      for (const { path, label, number } of logsIn(folder)) {
        withAuditKey(current, label, number, (key) => settleHead(path, key))
        yield `settled ${join(path, headName)}`
      }
    },
  }
}

function logsIn(folder: string): KeptLog[] {
  const names = ifThere(() => readdirSync(folder).sort()) ?? []
  return names.flatMap((name) => {
    const path = join(folder, name)
    const owner = ownerOfFolder(path)
    return owner ? [{ path, ...owner }] : []
  })
}
