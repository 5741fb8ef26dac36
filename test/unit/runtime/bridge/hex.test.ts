import { describe, expect, it } from 'vitest'
import { describeBadHex, hexBytes, hexPattern, toHex } from '../../../../runtime/src/bridge/hex.ts'

describe('hex', () => {
  it.each([
    { hex: '', bytes: [] },
    { hex: '0x', bytes: [] },
    { hex: '00ff', bytes: [0, 255] },
    { hex: '0x00ff', bytes: [0, 255] },
    { hex: 'AbCd', bytes: [0xab, 0xcd] },
    { hex: '0xABcd', bytes: [0xab, 0xcd] },
    { hex: '0X', bytes: [] },
    { hex: '0XABcd', bytes: [0xab, 0xcd] },
  ])('reads "$hex"', ({ hex, bytes }) => {
    expect(hexPattern.test(hex)).toBe(true)
    expect([...hexBytes(hex)]).toEqual(bytes)
  })

  it.each(['0', '0x0', '0X0', '0y00', 'x00', '00 ', ' 00', '00\n', 'gg', '0x0x00', '٠٠'])(
    'does not match %j',
    (text) => {
      expect(hexPattern.test(text)).toBe(false)
      expect(describeBadHex(text)).toMatch(/^(?:an odd number|a character that is no hex digit)/)
    },
  )

  it('writes lower case without 0x, every byte', () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    expect(toHex(all)).toMatch(/^000102.*0a0b0c.*fdfeff$/)
    expect([...hexBytes(toHex(all))]).toEqual([...all])
  })

  it('encodes only the bytes of a view', () => {
    const whole = Uint8Array.of(1, 2, 3, 4)
    expect(toHex(whole.subarray(1, 3))).toBe('0203')
  })
})
