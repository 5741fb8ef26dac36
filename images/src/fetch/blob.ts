/** Reads a finished archive: its size and digest. @module */
import { createHash } from 'node:crypto'
import { constants, open } from 'node:fs/promises'
import { noneOn } from '@causeway/service/failure'
import { chunksOf } from './file-source.ts'

/** Size and digest of the file at `path`; undefined when `path` is not a regular file. */
export async function hashFile(
  path: string,
  onBytes?: (count: number, totalBytes: number) => void,
  signal?: AbortSignal,
): Promise<{ sha256: string; bytes: number } | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(noneOn('ENOENT', 'ELOOP'))
  if (file === undefined) return undefined
  const stat = await file.stat()
  if (!stat.isFile()) return file.close().then(() => undefined)
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunksOf(file)) {
    signal?.throwIfAborted()
    hash.update(chunk)
    bytes += chunk.length
    onBytes?.(chunk.length, stat.size)
  }
  return { sha256: hash.digest('hex'), bytes }
}
