import { HDKey } from '@scure/bip32'
import { describe, expect, it } from 'vitest'
import { createHdKeys } from '../../../../runtime/src/signer/hd-keys.ts'

const seed = () => new Uint8Array(64).fill(7)
const isZero = (key: Uint8Array) => key.every((byte) => byte === 0)

describe('HD keys', () => {
  it('derives once per path', () => {
    const keys = createHdKeys(seed())
    expect(keys.privateKey([1, 2])).toBe(keys.privateKey([1, 2]))
    expect(keys.privateKey([1, 2])).not.toEqual(keys.privateKey([2, 1]))
  })

  it('keeps indexes apart that join to one number', () => {
    const keys = createHdKeys(seed())
    expect(keys.privateKey([1, 23])).not.toEqual(keys.privateKey([12, 3]))
  })

  it('still derives after a path has been forgotten, and forgets the one used longest ago', () => {
    const keys = createHdKeys(seed())
    const first = keys.privateKey([0])
    const second = keys.privateKey([1])
    const expected = Uint8Array.from(second)
    for (let index = 2; index < 1024; index++) keys.privateKey([index])
    expect(keys.privateKey([0])).toBe(first)
    keys.privateKey([1024])
    expect(isZero(first)).toBe(false)
    expect(isZero(second)).toBe(true)
    expect(keys.privateKey([1])).not.toBe(second)
    expect(keys.privateKey([1])).toEqual(expected)
  }, 60_000)

  it('does not spoil the master key with the keys it hands out', () => {
    const keys = createHdKeys(seed())
    keys.privateKey([]).fill(0)
    const child = HDKey.fromMasterSeed(seed()).deriveChild(5).privateKey
    expect(keys.privateKey([5])).toEqual(child)
  })

  it('destroy zeroes the keys handed out', () => {
    const keys = createHdKeys(seed())
    const handedOut = [keys.privateKey([]), keys.privateKey([1]), keys.privateKey([1, 2])]
    keys.destroy()
    expect(handedOut.map(isZero)).toEqual([true, true, true])
  })
})
