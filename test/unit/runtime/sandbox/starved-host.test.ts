/** A host without free descriptors or processes: calls that need one fail, the daemon runs on. */
import { existsSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { makeFileSystem } from '../../../../runtime/src/sandbox/storage/storage-files.ts'
import { test } from '../../../support/folder-fixture.ts'
import { patience, starve } from '../../../support/starved.ts'
import { starvedActions, type StarvedAction } from '../../../support/starved-actions.ts'

const isRoot = process.getuid?.() === 0
const actions = (Object.keys(starvedActions) as StarvedAction[]).filter(
  (action) => action !== 'storage' || existsSync(makeFileSystem),
)

describe.for(actions)('%s', { timeout: 2 * patience }, (action) => {
  test('fails without descriptors, and leaks none', async ({ folder }) => {
    const tries = await starve(action, 'descriptors', folder)
    const failures = tries.filter(({ message }) => message !== undefined)
    expect(tries.at(-1)).toEqual({ leaked: 0 })
    expect(failures.length).toBeGreaterThan(4)
    for (const failure of failures) {
      expect(failure).toEqual({ message: expect.stringContaining('EMFILE'), leaked: 0 })
    }
  })

  test.skipIf(!isRoot)(
    'fails without processes (only root can become a user who may have none)',
    async ({ folder }) => {
      const tries = await starve(action, 'processes', folder)
      expect(tries).toEqual([{ message: expect.stringContaining('EAGAIN'), leaked: 0 }])
    },
  )
})
