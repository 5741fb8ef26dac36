/** Replaces files atomically and durably, even through a power failure. @module */
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file's content; mode 0600, on disk when this resolves. One writer at a time. */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  const draft = `${path}.draft`
  try {
    await writeDurably(draft, content)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncPath(dirname(path))
}

async function writeDurably(path: string, content: string | Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs a file's content, or a folder's entries, to the disk. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
