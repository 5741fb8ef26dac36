/**
 * A folder per test, gone afterwards.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from 'vitest'

/** `test` with a `folder` of its own (0755, so that other users can be let in). */
export const test = base.extend<{ folder: string }>({
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-images-'))
    chmodSync(folder, 0o755)
    await use(folder)
    // What an archive closed, its owner must open first.
    spawnSync('chmod', ['-R', '-f', 'u+rwx', folder])
    spawnSync('rm', ['-rf', folder])
  },
})

/** True for root; tests of ownership and chroot skip without it. */
export const isRoot = process.getuid?.() === 0

/** Why they skip. */
export const needsRoot = 'needs root: gives files to another user'
