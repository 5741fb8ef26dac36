import { constants, open } from 'node:fs/promises'

/** Syncs a folder, so that a new name in it survives a power cut as its bytes do. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
