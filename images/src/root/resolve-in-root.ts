/**
 * Paths inside an unpacked root, followed the way the guest would follow them. A root's own `etc`
 * may be a symlink to the host's, so the host never opens a plain joined path in one.
 *
 * @module
 */
import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../image-error.ts'

/** As Linux: path_resolution(7), MAXSYMLINKS. */
const maxLinks = 40

type Kind = 'folder' | 'link' | 'other' | 'missing' | 'unusable'

/**
 * Resolves `guestPath` as if `root` were `/`: absolute symlinks start at the root, `..` stops at
 * it, at most 40 symlinks are followed, the last component too.
 *
 * @returns a host path without any symlink below `root`; when only the last component is missing,
 *   where it would be. Undefined when a component before it is missing or no folder, or for a
 *   symlink loop. It holds as long as nobody changes the root: use it before the guest runs.
 */
export async function resolveInRoot(root: string, guestPath: string): Promise<string | undefined> {
  const todo = componentsOf(guestPath)
  let done: string[] = []
  let links = 0
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    if (name === '..') {
      done.pop()
      continue
    }
    const path = join(root, ...done, name)
    const kind = await kindOf(path)
    if (kind === 'link') {
      if (++links > maxLinks) return undefined
      const target = await readlink(path)
      if (target.startsWith('/')) done = []
      todo.unshift(...componentsOf(target))
      continue
    }
    if (kind === 'unusable' || (kind !== 'folder' && todo.length > 0)) return undefined
    done.push(name)
  }
  return join(root, ...done)
}

function componentsOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

async function kindOf(path: string): Promise<Kind> {
  try {
    const stat = await lstat(path)
    return stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return 'missing'
    if (code === 'ENAMETOOLONG' || code === 'ENOTDIR') return 'unusable'
    throw error
  }
}
