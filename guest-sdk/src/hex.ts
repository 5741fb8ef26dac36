import type { Hex } from './protocol/index.ts'
import { BridgeProtocolError } from './errors.ts'

const pattern = /^(?:[0-9a-f]{2})*$/i

/** Bytes as lower-case hex without `0x`. */
export function toHex(bytes: Uint8Array): Hex {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/**
 * Converts hex of a reply to bytes.
 * @throws BridgeProtocolError when it is not hex; `Buffer.from` alone would cut it off silently.
 */
export function fromHex(hex: Hex): Uint8Array {
  if (typeof hex !== 'string' || !pattern.test(hex)) {
    throw new BridgeProtocolError(
      `expected hex digits of even length, found ${JSON.stringify(hex)}`,
    )
  }
  return new Uint8Array(Buffer.from(hex, 'hex'))
}
