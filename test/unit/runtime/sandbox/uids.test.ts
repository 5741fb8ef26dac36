import { describe, expect, test } from 'vitest'
import { checkRange, leaseUid } from '../../../../runtime/src/sandbox/uids.ts'
import { run } from '../../../support/causeway.ts'

describe('the range of uids', () => {
  test.for([
    ['before it', 'user:100000:65536'],
    ['behind it', 'user:1965536:65536'],
    ['no line at all', ''],
    ['a line that is none', 'nonsense\n#user'],
  ])('may have others %s', ([, subuids]) => {
    expect(() => checkRange(1_900_000, subuids!)).not.toThrow()
  })

  test.for([
    ['its first', 'user:1800000:100001'],
    ['its last', 'a:1:1\nuser:1965535:1'],
    ['all of it', 'user:0:4294967295'],
  ])('may not have %s given to a user', ([, subuids]) => {
    expect(() => checkRange(1_900_000, subuids!)).toThrow(
      /uidBase 1900000: .* overlap those of user/,
    )
  })
})

describe.skipIf(process.getuid?.() !== 0)('leases (only root may change uids)', () => {
  const base = 1_950_000_000

  test('are different, and free again after release', () => {
    const first = leaseUid(base)
    const second = leaseUid(base)
    expect([first.uid, second.uid]).toEqual([base, base + 1])
    first.release()
    const third = leaseUid(base)
    expect(third.uid).toBe(base)
    second.release()
    third.release()
  })

  test('hold against other processes, and end with theirs', async () => {
    const script = `import('${new URL('../../../../runtime/dist/sandbox/uids.js', import.meta.url).href}')
      .then(({ leaseUid }) => console.log(leaseUid(${base}).uid))`
    const lease = leaseUid(base)
    expect((await run(process.execPath, ['-e', script])).stdout).toBe(`${base + 1}\n`)
    expect((await run(process.execPath, ['-e', script])).stdout).toBe(`${base + 1}\n`)
    lease.release()
    expect((await run(process.execPath, ['-e', script])).stdout).toBe(`${base}\n`)
  })
})
