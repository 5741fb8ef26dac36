import { describe, expect, it } from 'vitest'
import { createDerivedSlots } from '../../../../runtime/src/signer/derived-slots.ts'
import { maxDerived, slots } from '../../../../runtime/src/signer/backend.ts'

/** Slots over fake keys, which only record what is derived. */
function recordedSlots() {
  const derived: [number, readonly number[]][] = []
  const { slotOf } = createDerivedSlots({
    derive: (slot, indexes) => void derived.push([slot, indexes]),
  })
  return { derived, slotOf: (path: string, index = 0) => slotOf(path, () => [index]) }
}

describe('HD slots', () => {
  it('a path is derived once', () => {
    const { derived, slotOf } = recordedSlots()
    expect([slotOf('m/1', 1), slotOf('m/2', 2), slotOf('m/1', 1)]).toEqual([5, 6, 5])
    expect(derived).toEqual([
      [5, [1]],
      [6, [2]],
    ])
  })

  it('the least recently used path is replaced, and derived again when it is used', () => {
    const { derived, slotOf } = recordedSlots()
    for (let index = 0; index < maxDerived; index++) slotOf(`m/${index}`, index)
    slotOf('m/0')
    const secondSlot = slots.firstDerived + 1
    expect(slotOf('m/new', 7)).toBe(secondSlot)
    expect(slotOf('m/0')).toBe(slots.firstDerived)
    expect(slotOf('m/1', 1)).toBe(slots.firstDerived + 2)
    expect(derived.slice(maxDerived)).toEqual([
      [secondSlot, [7]],
      [slots.firstDerived + 2, [1]],
    ])
  })

  it('an invalid path takes no slot', () => {
    const { slotOf } = createDerivedSlots({ derive: () => {} })
    const bad = () =>
      slotOf('m/x', () => {
        throw new Error('bad path')
      })
    expect(bad).toThrow('bad path')
    expect(slotOf('m', () => [])).toBe(slots.firstDerived)
  })
})
