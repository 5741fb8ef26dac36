import { decodeSs58, encodeSs58 } from '@causeway/manifest'
import { describe, expect, it } from 'vitest'
import { bytes, hex } from '../support/hex.ts'
import vectors from './ss58.json' with { type: 'json' }

describe('SS58', () => {
  it.each(vectors.tests)('$name', ({ publicKey, prefix, address }) => {
    expect(encodeSs58(bytes(publicKey), prefix)).toBe(address)
    const decoded = decodeSs58(address)
    expect({ ...decoded, publicKey: hex(decoded.publicKey) }).toEqual({ prefix, publicKey })
  })
})
