import { describe, expect, test } from 'vitest'
import { toRow } from '../../bench/row.ts'
import { renderTable } from '../../bench/table.ts'

const speed = { name: 'calls/s', unit: 'calls/s', values: [900, 1000, 1100] }

describe('toRow', () => {
  test('without floor and target only the median is said', () => {
    expect(toRow('bridge', speed)).toEqual({
      group: 'bridge',
      name: 'calls/s',
      value: 1000,
      unit: 'calls/s',
      floor: null,
      ratio: null,
      target: null,
      holds: null,
    })
  })

  test('goes into JSON and back', () => {
    const row = toRow('bridge', { ...speed, floors: [1, 2, 3], remark: 'unpinned' })
    expect(JSON.parse(JSON.stringify(row))).toEqual(row)
  })

  const floors = [1000, 1000, 1000]

  test.each([
    [{ of: 'ratio', atLeast: 1 }, true],
    [{ of: 'ratio', atLeast: 1.01 }, false],
    [{ of: 'ratio', atMost: 1 }, true],
    [{ of: 'ratio', atMost: 0.99 }, false],
    [{ of: 'value', atMost: 1000 }, true],
    [{ of: 'value', atMost: 999 }, false],
    [{ of: 'value', atLeast: 1001 }, false],
  ] as const)('the target %j holds: %s', (target, expected) => {
    expect(toRow('bridge', { ...speed, floors, target }).holds).toBe(expected)
  })

  test('a target of the ratio needs floors', () => {
    const target = { of: 'ratio', atLeast: 1 } as const
    expect(() => toRow('bridge', { ...speed, target })).toThrow('needs floors')
  })
})

describe('renderTable', () => {
  const rows = [
    toRow('bridge', {
      ...speed,
      values: [90_000, 91_142, 95_000],
      floors: [100_000, 100_000, 100_000],
      target: { of: 'ratio', atLeast: 0.85 },
    }),
    toRow('bridge', {
      name: 'p50',
      unit: 'µs',
      values: [42.51],
      floors: [30],
      target: { of: 'ratio', atMost: 1.15 },
      remark: 'unpinned',
    }),
    toRow('bridge', { name: 'errors', unit: 'calls', values: [0] }),
  ]

  test('shows value, floor, ratio, target and verdict of each row', () => {
    expect(renderTable('bridge: a call', rows)).toBe(
      [
        'bridge: a call',
        '            value  unit       floor   ratio (min–max)  target',
        '  calls/s  91,142  calls/s  100,000  0.91 (0.90–0.95)  ≥ 0.85 × floor  ✓',
        '  p50        42.5  µs          30.0  1.42 (1.42–1.42)  ≤ 1.15 × floor  ✗ missed',
        '  errors        0  calls',
        '  ! p50: unpinned',
        '',
      ].join('\n'),
    )
  })

  test('small ratios keep digits that say something', () => {
    const row = toRow('signer-parts', {
      name: 'BIP-32',
      unit: 'µs',
      values: [36],
      floors: [2200],
      target: { of: 'ratio', atMost: 1 / 15 },
    })
    expect(renderTable('signer-parts', [row])).toContain('0.016 (0.016–0.016)  ≤ 0.067 × floor')
  })

  test('a remark of all rows names none of them', () => {
    const remarked = rows.map((row) => ({ ...row, remark: 'unpinned' }))
    expect(renderTable('bridge', remarked)).toContain('\n  ! unpinned\n')
  })
})
