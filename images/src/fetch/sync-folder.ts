import { constants, open } from 'node:fs/promises'

/** Syncs a folder, so that a new name in it survives a power cut as its bytes do. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  await folder.sync()
}
