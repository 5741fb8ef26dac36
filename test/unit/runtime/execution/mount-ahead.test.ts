import { expect, test, vi } from 'vitest'
import { mountAhead } from '../../../../runtime/src/execution/mount-ahead.ts'
import type { MountedJob } from '../../../../runtime/src/sandbox/mounted-job.ts'

function mounts() {
  const cancelled: string[] = []
  let count = 0
  const mount = vi.fn((): Promise<MountedJob> => {
    const root = `/root-${count++}`
    const cancel = () => Promise.resolve(void cancelled.push(root))
    return Promise.resolve({ root, groups: [], start: () => expect.fail('started'), cancel })
  })
  return { cancelled, mount }
}

test('the first root is mounted at once, the others on request', async () => {
  const { cancelled, mount } = mounts()
  const roots = mountAhead(mount)
  expect(mount).toHaveBeenCalledTimes(1)
  expect((await roots.mount()).root).toBe('/root-0')
  expect(mount).toHaveBeenCalledTimes(1)
  expect((await roots.mount()).root).toBe('/root-1')
  await roots.close()
  expect(cancelled).toEqual([])
})

test('a root that nobody took is cancelled', async () => {
  const { cancelled, mount } = mounts()
  await mountAhead(mount).close()
  expect(cancelled).toEqual(['/root-0'])
})

test('mount throws a failure, and close ignores it', async () => {
  const fail = () => Promise.reject(new Error('no root'))
  await expect(mountAhead(fail).mount()).rejects.toThrow('no root')
  await expect(mountAhead(fail).close()).resolves.toBeUndefined()
})
