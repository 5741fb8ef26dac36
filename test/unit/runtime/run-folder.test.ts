import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect } from 'vitest'
import { createRunFolder, removeStaleRuns } from '../../../runtime/src/state/run-folder.ts'
import { test } from '../../support/folder-fixture.ts'

describe('the folder of a run', () => {
  test('is closed to others, and another one each time', ({ folder }) => {
    const [one, other] = [createRunFolder(folder), createRunFolder(folder)]
    expect(one).not.toBe(other)
    expect(statSync(one).mode & 0o777).toBe(0o700)
  })

  test('is removed by a later run when its process is gone, and only then', async ({ folder }) => {
    const own = basename(createRunFolder(folder))
    const kept = [own, 'run-1-999999999-1-00', '5', 'run-notes']
    const gone = own.replace(/-\d+-([^-]+)$/, '-1-$1')
    for (const name of [...kept.slice(1), gone]) mkdirSync(join(folder, name))
    writeFileSync(join(folder, gone, 'bundle.zip'), '')
    await removeStaleRuns(folder)
    expect(readdirSync(folder).toSorted()).toEqual(kept.toSorted())
  })
})
