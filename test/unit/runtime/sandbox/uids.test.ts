import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { leaseUids, type UidLease } from '../../../../runtime/src/sandbox/ids/uids.ts'
import { imageUid, rangeSize } from '../../../../runtime/src/sandbox/ids/uid-range.ts'
import { run } from '../../../support/causeway.ts'

describe.skipIf(process.getuid?.() !== 0)('leases (only root may change uids)', () => {
  const base = 1_950_000_000
  const firstRange = base + 2 * rangeSize
  const held = new Set<UidLease>()
  const lease = (...args: Parameters<typeof leaseUids>) => {
    const taken = leaseUids(...args)
    held.add(taken)
    return taken
  }
  const release = (taken: UidLease) => {
    held.delete(taken)
    taken.release()
  }
  afterEach(() => held.forEach(release))

  test('have different ids, which are free again after release', () => {
    const [first, second] = [lease(base, 'one'), lease(base, 'one')]
    expect([first, second]).toMatchObject([
      { uid: base, count: 1 },
      { uid: base + 1, count: 1 },
    ])
    release(first)
    expect(lease(base, 'one').uid).toBe(base)
  })

  test('of 65,536 ids come after the single ids and the owner of images', () => {
    expect([lease(base, 'range'), lease(base, 'range')]).toMatchObject([
      { uid: firstRange, count: rangeSize },
      { uid: firstRange + rangeSize, count: rangeSize },
    ])
    expect(lease(base, 'one').uid).toBe(base)
    expect(imageUid(base)).toBe(base + rangeSize)
  })

  test('have the preferred id while that is free', () => {
    const preferred = base + 7
    expect(lease(base, 'one', { preferred }).uid).toBe(preferred)
    expect(lease(base, 'one', { preferred }).uid).toBe(base)
  })

  test.for([8, -1, rangeSize, 4 * rangeSize])(
    'do not have a preferred id at which no lease begins (%i)',
    (offset) => {
      const taken = lease(base, 'range', { preferred: base + 2 * rangeSize + offset })
      const isBeginning = (taken.uid - base) % rangeSize === 0 && taken.uid >= firstRange
      expect(isBeginning).toBe(true)
    },
  )

  test('may begin at a random id', () => {
    const spread = Array.from({ length: 4 }, () => lease(base, 'one', { isSpread: true }).uid)
    expect(new Set(spread).size).toBe(4)
    for (const uid of spread) expect(uid - base).toBeLessThan(rangeSize)
    expect(spread).not.toEqual([base, base + 1, base + 2, base + 3])
  })

  test('exclude other processes, and end with their own process', async () => {
    const script = `import('${new URL('../../../../runtime/dist/sandbox/ids/uids.js', import.meta.url).href}')
      .then(({ leaseUids }) => console.log(leaseUids(${base}, 'one').uid))`
    const one = lease(base, 'one')
    expect((await run(process.execPath, ['-e', script])).stdout).toBe(`${base + 1}\n`)
    expect((await run(process.execPath, ['-e', script])).stdout).toBe(`${base + 1}\n`)
    release(one)
    expect((await run(process.execPath, ['-e', script])).stdout).toBe(`${base}\n`)
  })

  test('leave no descriptor open', () => {
    const locks = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        const path = `/proc/self/fd/${fd}`
        return existsSync(path) && readlinkSync(path).startsWith('/run/causeway/uids/')
      })
    const before = locks()
    const one = lease(base, 'one')
    expect(locks()).toHaveLength(before.length + 1)
    release(one)
    expect(locks()).toEqual(before)
  })
})
