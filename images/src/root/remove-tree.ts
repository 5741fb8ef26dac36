/** Removes anything that a job or an archive made. @module */
import { mkdir, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterwards } from '@causeway/service/failure'
import { runTool } from '../tool.ts'

/**
 * Removes a folder with everything in it; never crosses into a mounted file system. The host's `rm`
 * does it, because it copes with unreadable folders and paths longer than PATH_MAX.
 */
export async function removeTree(path: string): Promise<void> {
  const name = basename(path)
  const cwd = dirname(path)
  // Without root, folders of mode 000 must be opened first; for root chmod is not needed.
  if (process.getuid?.() !== 0) {
    await runTool('chmod', ['-R', '-f', 'u+rwx', '--', name], { cwd }).catch(() => {}) // rm reports
  }
  await runTool('rm', ['-rf', '--one-file-system', '--', name], { cwd })
}

/** Makes a folder for some work, and removes it whether or not that succeeds. */
export async function withFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(path, { mode: 0o700 })
  return afterwards(work(), () => removeTree(path))
}

/** Removes everything in a folder, but not the folder. */
export async function emptyFolder(path: string): Promise<void> {
  for (const name of await readdir(path)) await removeTree(join(path, name))
}
