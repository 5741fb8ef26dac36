/** Recognises a root whose file system is damaged, and removes such a root. @module */
import { join } from 'node:path'
import { removeTree } from '@causeway/images'
import { saysPassing } from '../../errors/host-fault.ts'
import { filledFile, storageFile } from './root-folders.ts'

// What the launcher says when a step on the root itself fails; other steps are about the host.
const mounting = /^bridge-launch: (?:(?:storage|layer|root) \/|overlay:)/
// What a damaged ext4 answers to calls on its files.
const damaged = ['EBADMSG', 'EUCLEAN', 'EIO', 'EROFS', 'ESTALE']

/** Whether an error says that a root cannot be used, though its host could mount another. */
export function isRootDamage(error: unknown): boolean {
  if (!(error instanceof Error) || saysPassing(error.message)) return false
  const { code = '', path = '' } = error as NodeJS.ErrnoException
  // Files of the root are named by our descriptor of it.
  const isInRoot = path.startsWith('/proc/self/fd/')
  return mounting.test(error.message) || (isInRoot && damaged.includes(code))
}

/** Removes all files of a root from an execution's folder; nothing of it may be mounted. */
export async function removeRoot(folder: string): Promise<void> {
  const folders = ['storage', 'upper', 'work', 'root', 'root.partial']
  // First of all, or a crash would leave a root that counts as filled.
  for (const path of [filledFile(folder), storageFile(folder)]) await removeTree(path)
  for (const name of folders) await removeTree(join(folder, name))
}
