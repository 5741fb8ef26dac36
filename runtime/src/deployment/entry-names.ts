/** Checks names of a zip's entries, which may be hostile. @module */
import { posix } from 'node:path'

// Limits of Linux (PATH_MAX, NAME_MAX), and a depth that no honest bundle reaches.
const maxPathBytes = 4096
const maxNameBytes = 255
const maxDepth = 256

/** Checks the next file's name. @returns its normalized path @throws RangeError naming the fault */
export type TakeName = (name: string) => string

/** Creates a check that compares each name with all names before it. */
export function createNameCheck(): TakeName {
  const files = new Set<string>()
  const folders = new Set<string>()
  return (name) => {
    const path = plainPath(name)
    const above = ancestors(path)
    if (files.has(path)) throw new RangeError('the name is used twice')
    if (folders.has(path)) throw new RangeError('expected a file, found a folder of that name')
    const file = above.find((folder) => files.has(folder))
    if (file !== undefined)
      throw new RangeError(`expected a folder ${file}, found a file of that name`)
    files.add(path)
    for (const folder of above) folders.add(folder)
    return path
  }
}

function plainPath(name: string): string {
  const path = posix.normalize(name)
  const parts = path.split('/')
  if (name === '' || path === '.' || name.includes('\0'))
    throw new RangeError('expected a name without NUL')
  if (parts.length > maxDepth)
    throw new RangeError(`expected at most ${maxDepth} folders, found more`)
  if (
    Buffer.byteLength(path) >= maxPathBytes ||
    parts.some((part) => Buffer.byteLength(part) > maxNameBytes)
  ) {
    throw new RangeError(
      `expected at most ${maxPathBytes - 1} bytes, ${maxNameBytes} between slashes`,
    )
  }
  return path
}

function ancestors(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
}
