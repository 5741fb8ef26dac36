/** What is said of a state folder that cannot be used: which path, and what to do. */
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { stateFault } from '../../../runtime/src/errors/state-fault.ts'
import { lockRootInUse } from '../../../runtime/src/signer/root/root-lock.ts'
import { createRunFolder } from '../../../runtime/src/state/run-folder.ts'
import { openState } from '../../../runtime/src/state/state-folders.ts'
import { test } from '../../support/folder-fixture.ts'
import { thrownBy } from '../../support/thrown.ts'

async function refusalOf(run: () => unknown): Promise<string> {
  const error = await thrownBy(run)
  expect(error).toMatchObject({ kind: 'STATE_UNREACHABLE' })
  return (error as Error).message
}

describe('the state folder', () => {
  test('that cannot be made', async ({ folder }) => {
    writeFileSync(join(folder, 'file'), '')
    const path = join(folder, 'file', 'b', 'state')
    const message = await refusalOf(() => openState(path))
    expect(message).toContain(`state folder ${path}: `)
    expect(message).toContain(
      'a part of the path is no folder, or choose another folder with --state',
    )
    expect(await refusalOf(() => openState('/proc/causeway/state'))).toContain('/proc/causeway')
  })

  test('with a lock that cannot be taken', async ({ folder }) => {
    const lock = join(folder, 'root.lock')
    symlinkSync('root.lock', lock)
    const message = await refusalOf(() => lockRootInUse(folder))
    expect(message).toContain(`lock ELOOP: too many symbolic links encountered, ${lock};`)
  })

  test('without the folder of runs', async ({ folder }) => {
    const path = join(folder, 'deployments')
    expect(await refusalOf(() => createRunFolder(path))).toContain(`mkdir '${path}/run-`)
  })

  test('on a disk that is read-only or full: what to do', ({ folder }) => {
    const failed = (code: string, path: string) =>
      Object.assign(new Error(`${code}: no, open '${path}'`), { code, syscall: 'open', path })
    const said = (code: string) => String(stateFault(folder, failed(code, join(folder, 'a'))))
    expect(said('EROFS')).toContain('mounted read-only: mount it for writing')
    expect(said('ENOSPC')).toContain('the disk is full: make room')
    const elsewhere = failed('ENOENT', '/other/passphrase')
    expect(stateFault(folder, elsewhere)).toBe(elsewhere)
  })
})
