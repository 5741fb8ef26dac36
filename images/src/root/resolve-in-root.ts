/**
 * Resolves paths inside an unpacked root as the guest would. A root's `etc` may be a symlink to the
 * host's, so the host never opens a plain joined path in a root.
 *
 * Everything in `root` is synchronous: a call takes microseconds, a thread of the pool takes a
 * hundred times as long, and a job's start makes dozens of calls.
 *
 * @module
 */
import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '@causeway/service/failure'

/** The limit of Linux: path_resolution(7), MAXSYMLINKS. */
const maxLinks = 40

type Kind = 'folder' | 'link' | 'other' | 'missing' | 'unusable'

/**
 * Resolves `guestPath` as if `root` were `/`: absolute symlinks start at the root, `..` stops at
 * it, at most 40 symlinks are followed, the last component too.
 *
 * @returns a host path without symlinks below `root`; only its last component may be missing.
 *   Undefined when an earlier component is missing or not a folder, or for a symlink loop. The path
 *   is valid only while nobody changes the root: use it before the guest runs.
 */
export function resolveInRoot(root: string, guestPath: string): string | undefined {
  const todo = componentsOf(guestPath)
  let done: string[] = []
  let links = 0
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    if (name === '..') {
      done.pop()
      continue
    }
    const path = join(root, ...done, name)
    const kind = kindOf(path)
    if (kind === 'link') {
      if (++links > maxLinks) return undefined
      const target = readlinkSync(path)
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

function kindOf(path: string): Kind {
  try {
    const stat = lstatSync(path)
    return stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return 'missing'
    if (['ENAMETOOLONG', 'ENOTDIR', 'EACCES'].includes(code ?? '')) return 'unusable'
    throw error
  }
}
