import { describe, expect, test } from 'vitest'
import { parseCpus, pickCpu } from '../../../../runtime/src/sandbox/proot/cpus.ts'

describe('the processors that a process may use', () => {
  test.for<[string, number[]]>([
    ['0', [0]],
    ['0-3', [0, 1, 2, 3]],
    ['0-1,4,6-7', [0, 1, 4, 6, 7]],
    ['', []],
  ])('%s', ([list, cpus]) => {
    expect(
      parseCpus(`Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t${list}\nMems:\t1\n`),
    ).toEqual(cpus)
  })

  test('are none where the kernel lists none', () => {
    expect(parseCpus('Name:\tx\n')).toEqual([])
  })
})

describe('a job is pinned to one processor', () => {
  const [slow, fast] = [{ isAccelerated: false }, { isAccelerated: true }]

  test('only under a PRoot that stops it at every call', () => {
    expect(pickCpu('auto', slow, 0)).toEqual({ cpu: expect.any(Number) as number })
    expect(pickCpu('auto', fast, 0)).toEqual({})
    expect(pickCpu('auto', undefined, 0)).toEqual({})
    expect(pickCpu('off', slow, 0)).toEqual({})
  })

  test('and jobs are spread over all processors', () => {
    const turns = Array.from(
      { length: 64 },
      (_, turn) => pickCpu('auto', slow, 1_900_000_000 + turn).cpu,
    )
    const used = new Set(turns)
    expect(used.size).toBeGreaterThanOrEqual(1)
    expect(turns[0]).toBe(turns[used.size])
    expect(new Set(turns.slice(0, used.size)).size).toBe(used.size)
  })
})
