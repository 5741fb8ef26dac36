import { constants, open } from 'node:fs/promises'

/** A new name in the folder must survive a power cut as the bytes do. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
