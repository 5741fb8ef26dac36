/** Replaces files atomically and durably, even through a power failure. @module */
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { orUndo } from '@causeway/service/failure'

/** Replaces a file's content; mode 0600, on disk when this resolves. One writer at a time. */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  const draft = `${path}.draft`
  const write = async () => {
    await writeDurably(draft, content)
    await rename(draft, path)
  }
  await orUndo(write, () => rm(draft, { force: true }))
  await syncPath(dirname(path))
}

async function writeDurably(path: string, content: string | Buffer): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.writeFile(content)
  await file.sync()
}

/** Syncs a file's content, or a folder's entries, to the disk. */
export async function syncPath(path: string): Promise<void> {
  await using file = await open(path)
  await file.sync()
}
