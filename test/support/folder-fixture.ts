import { test as base } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

/** `test` with a `folder` of its own, which is removed afterwards. */
export const test = base.extend<{ folder: string }>({
  folder: async ({}, use) => {
    await using folder = await temporaryFolder()
    await use(folder.path)
  },
})
