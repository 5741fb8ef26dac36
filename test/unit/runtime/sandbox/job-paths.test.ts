import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { prepareJobPaths } from '../../../../runtime/src/sandbox/root/job-paths.ts'
import type { Layers } from '../../../../runtime/src/sandbox/layers.ts'
import { test } from '../../../support/folder-fixture.ts'

const isRoot = process.getuid?.() === 0
const layers: Layers = {
  backend: 'proot',
  ownIds: isRoot,
  namespaces: true,
  root: 'overlay',
  shiftsIds: isRoot,
  landlock: true,
}
const uid = isRoot ? 1_900_000_000 : (process.getuid?.() ?? 0)
const emulator = '/usr/bin/qemu-aarch64-static'

/** The paths of a job, and what was made in its folder. */
function prepare(folder: string, options: { namespaces: boolean; emulator?: string }) {
  const { namespaces, ...rest } = options
  const paths = prepareJobPaths({
    folder,
    root: join(folder, 'root'),
    helpers: [[import.meta.filename, '/.causeway/init']],
    uid,
    layers: { ...layers, namespaces },
    ...rest,
  })
  const mode = (name: string) => statSync(join(folder, name)).mode & 0o7777
  return { paths, mode, made: readdirSync(folder).filter((name) => name !== 'helpers') }
}

describe('the folders of a job', () => {
  test.for([
    ['in namespaces', { namespaces: true }, ['stage']],
    ['in namespaces with an emulator', { namespaces: true, emulator }, ['empty', 'stage']],
    ['on the root of the host', { namespaces: false }, ['shm']],
    ['there, with an emulator', { namespaces: false, emulator }, ['empty', 'shm']],
  ] as const)('%s are only those that it needs', ([, options, expected], { folder }) => {
    expect(prepare(folder, options).made.toSorted()).toEqual(expected)
    // The next start of the job finds the same.
    expect(prepare(folder, options).made.toSorted()).toEqual(expected)
  })

  test('are open to the job as far as the job uses them, whatever the umask', ({ folder }) => {
    const before = process.umask(0o077)
    try {
      const { paths, mode } = prepare(folder, { namespaces: false, emulator })
      expect([mode('shm'), mode('empty')]).toEqual([0o1777, 0o755])
      expect(statSync(paths.shm).uid).toBe(uid)
    } finally {
      process.umask(before)
    }
  })
})
