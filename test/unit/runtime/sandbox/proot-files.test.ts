/** PRoot's leftovers in the /tmp of this host, where others may run PRoot, too. */
import { randomUUID } from 'node:crypto'
import {
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { removeProotFiles } from '../../../../runtime/src/sandbox/proot/leftovers.ts'
import { test } from '../../../support/folder-fixture.ts'

// Two uids that no job has: the default range begins above them.
const [uid, other] = [1_800_000_001, 1_800_000_002]

describe.skipIf(process.getuid?.() !== 0)(
  'a file that PRoot left in /tmp (only root gives files away)',
  () => {
    /** Makes a user's file or folder in /tmp with this prefix; removes it after the test. */
    function leave(beginning: string, owner: number, make: (path: string) => void): string {
      const path = `/tmp/${beginning}${randomUUID()}`
      onTestFinished(() => rmSync(path, { recursive: true, force: true }))
      make(path)
      chownSync(path, owner, owner)
      return path
    }
    const file = (path: string) => writeFileSync(path, '')

    test('is removed when it is the job’s, and nothing else is', () => {
      const loader = leave('prooted-', uid, file)
      const glue = leave('proot-', uid, (path) => {
        mkdirSync(path)
        writeFileSync(join(path, 'loader'), '')
      })
      const kept = [
        leave('prooted-', other, file),
        leave('prooted-', 0, file),
        leave('job-', uid, file),
        leave('my-proot-', uid, file),
        leave('prootfs-', uid, file),
      ]
      removeProotFiles(uid)
      expect([loader, glue].filter((path) => existsSync(path))).toEqual([])
      expect(kept.filter((path) => !existsSync(path))).toEqual([])
    })

    test('that is a link is removed without its target, whoever owns the target', ({ folder }) => {
      const target = join(folder, 'target')
      mkdirSync(target)
      writeFileSync(join(target, 'precious'), '')
      chownSync(target, uid, uid)
      const link = `/tmp/proot-${randomUUID()}`
      onTestFinished(() => rmSync(link, { force: true }))
      symlinkSync(target, link)
      // Root's link to a file of the job.
      removeProotFiles(uid)
      expect(lstatSync(link).isSymbolicLink()).toBe(true)
      lchownSync(link, uid, uid)
      removeProotFiles(uid)
      expect(existsSync(link)).toBe(false)
      expect(existsSync(join(target, 'precious'))).toBe(true)
    })
  },
)
