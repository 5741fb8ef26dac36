/**
 * Removes what a job or an archive made, whatever that is.
 *
 * @module
 */
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { runTool } from '../tool.ts'

/**
 * Removes a folder with everything in it, unreadable folders and paths longer than PATH_MAX too,
 * which is why the host's own programs do it; never crosses into a mounted file system.
 */
export async function removeTree(path: string): Promise<void> {
  const name = basename(path)
  const cwd = dirname(path)
  // Without root, folders of mode 000 must be opened first; with root it changes nothing.
  if (process.getuid?.() !== 0) {
    await runTool('chmod', ['-R', '-f', 'u+rwx', '--', name], { cwd }).catch(() => {}) // rm tells
  }
  await runTool('rm', ['-rf', '--one-file-system', '--', name], { cwd })
}

/** Removes what is in a folder, and leaves the folder. */
export async function emptyFolder(path: string): Promise<void> {
  for (const name of await readdir(path)) await removeTree(join(path, name))
}
