/**
 * The head under a root secret to come, beside the one that is: after a rotation that was cut short
 * either may be the right one, and the key says which.
 * @module
 */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { headName } from './files/folder.ts'
import { readHead, type Head } from './head.ts'

export function nextHeadPath(folder: string): string {
  return join(folder, `${headName}.next`)
}

/** The head as it is, or as it is to come when only that one is authentic. */
export function readEitherHead(folder: string, key: Uint8Array | undefined): Head {
  const head = readHead(join(folder, headName), key)
  if (head.state === 'authentic' || !key) return head
  const next = readHead(nextHeadPath(folder), key)
  return next.state === 'authentic' ? next : head
}

/** Puts the authentic one in its place and leaves none beside it. Nobody may be writing. */
export function settleHead(folder: string, key: Uint8Array): void {
  const head = join(folder, headName)
  const next = nextHeadPath(folder)
  const isNext =
    readHead(head, key).state !== 'authentic' && readHead(next, key).state === 'authentic'
  if (isNext) renameSync(next, head)
  else rmSync(next, { force: true })
}
