import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  lockRootChange,
  lockRootInUse,
  lockRootOutOfUse,
} from '../../../../runtime/src/signer/root/root-lock.ts'
import { test } from '../../../support/folder-fixture.ts'
import { thrownBy } from '../../../support/thrown.ts'

describe('the lock of the root secret', () => {
  test('is shared by all users of the root, and keeps a rotation out', async ({ folder }) => {
    const releases = [lockRootInUse(folder), lockRootInUse(folder)]
    const busy = {
      kind: 'ROOT_BUSY',
      message: `${folder}: bridges of this state folder are running: stop them first`,
    }
    for (const release of releases) {
      expect(await thrownBy(() => lockRootOutOfUse(folder))).toMatchObject(busy)
      release()
    }
    const release = lockRootOutOfUse(folder)
    expect(await thrownBy(() => lockRootInUse(folder))).toMatchObject({
      message: `${folder}: the root secret is being rotated`,
    })
    release()
    lockRootInUse(folder)()
  })

  test('for changes is a separate lock: bridges may go on', async ({ folder }) => {
    const use = lockRootInUse(folder)
    const change = lockRootChange(folder)
    expect(await thrownBy(() => lockRootChange(folder))).toMatchObject({
      message: `${folder}: another command is changing the root secret`,
    })
    lockRootInUse(folder)()
    use()
    change()
  })

  test('creates the state folder', ({ folder }) => {
    lockRootInUse(join(folder, 'a', 'b'))()
  })
})
