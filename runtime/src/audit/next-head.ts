/**
 * Handles two heads during a rotation of the root secret: after an interruption either may be the
 * authentic one, and the key decides which.
 * @module
 */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { headName } from './files/folder.ts'
import { readHead, type Head } from './head.ts'

export function nextHeadPath(folder: string): string {
  return join(folder, `${headName}.next`)
}

/** The current head; or the next one, if only that is authentic. */
export function readEitherHead(folder: string, key: Uint8Array | undefined): Head {
  const head = readHead(join(folder, headName), key)
  if (head.state === 'authentic' || !key) return head
  const next = readHead(nextHeadPath(folder), key)
  return next.state === 'authentic' ? next : head
}

/** Moves the authentic head into place and removes the other. No writer may have the log open. */
export function settleHead(folder: string, key: Uint8Array): void {
  const head = join(folder, headName)
  const next = nextHeadPath(folder)
  const isNext =
    readHead(head, key).state !== 'authentic' && readHead(next, key).state === 'authentic'
  if (isNext) renameSync(next, head)
  else rmSync(next, { force: true })
}
