/**
 * A disk that is really full: a small tmpfs, which only root may mount.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SmallDisk extends Disposable {
  path: string
  /** Uses up every page. */
  fill(): void
  /** Frees the pages. */
  free(): void
}

/** @param bytes a multiple of the page size */
export function smallDisk(folder: string, bytes: number): SmallDisk {
  const path = join(folder, 'small-disk')
  const filling = join(path, 'filling')
  mkdirSync(path)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', path])
  return {
    path,
    fill() {
      const { bavail, bsize } = statfsSync(path)
      writeFileSync(filling, Buffer.alloc(bavail * bsize))
    },
    free: () => rmSync(filling),
    // Lazily: closing a log still writes its last lines to the disk.
    [Symbol.dispose]: () => void execFileSync('umount', ['--lazy', path]),
  }
}
