import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { privateTmp, removeProotFiles } from '../../../../runtime/src/sandbox/proot-files.ts'
import { test } from '../../../support/folder-fixture.ts'

test('no folder below /tmp is hidden by a private /tmp', async () => {
  expect(await privateTmp('/tmp/state/deployments/run')).toBeUndefined()
  expect(await privateTmp('/tmp')).toBeUndefined()
})

describe.skipIf(process.getuid?.() !== 0)('with a uid of its own (only root can give one)', () => {
  const uid = 1_950_000_777
  test("only PRoot's files of that uid go", async () => {
    const paths = ['proot-1-test', 'prooted-1-test', 'prooted-1-others', 'other-test'].map((name) =>
      join('/tmp', name),
    )
    const [folder, loader, others, other] = paths as [string, string, string, string]
    mkdirSync(folder)
    for (const file of [loader, others, other]) writeFileSync(file, '')
    for (const path of [folder, loader, other]) chownSync(path, uid, uid)
    await removeProotFiles(uid)
    expect(paths.map((path) => existsSync(path))).toEqual([false, false, true, true])
    for (const path of paths) await rm(path, { recursive: true, force: true })
  })
})
