/**
 * Formats a bridge call as a line for a person. It shows lengths of plaintexts, never plaintexts.
 * @module
 */
import type { CallRecord } from '../../bridge/dispatch.ts'

const shownHexDigits = 20
const shownTextLength = 90
const maxTextLength = 300

/** `signer_sign(p256, 32 bytes) → 5f3c…(64 bytes), 0.6 ms`. */
export function callText({ method, params, outcome, durationMs }: CallRecord): string {
  const result =
    'result' in outcome
      ? resultText(method, outcome.result)
      : `${outcome.error.kind}: ${outcome.error.message}`
  const text = `${method}(${paramsText(params)}) → ${result}`.slice(0, maxTextLength)
  return `${text}, ${durationMs.toFixed(1)} ms`
}

function paramsText([params]: readonly unknown[]): string {
  if (typeof params !== 'object' || params === null) return ''
  const { curve, derivationPath, host, bytes } = params as Record<string, unknown>
  const words = [
    curve,
    derivationPath,
    host,
    typeof bytes === 'string' && `${bytes.length >> 1} bytes`,
  ]
  return words.filter((word) => typeof word === 'string').join(', ')
}

function resultText(method: string, result: unknown): string {
  if (method === 'signer_decrypt') return `${byteLength(result)} bytes`
  const values = Object.values(result as object)
  // A single field needs no name: the method says what it is.
  const plain = JSON.stringify(values.length === 1 ? values[0] : result, shortenHex)
  return plain.length > shownTextLength ? `${plain.slice(0, shownTextLength)}…` : plain
}

function byteLength(result: unknown): number {
  const { bytes } = result as { bytes: string }
  return bytes.length >> 1
}

function shortenHex(_key: string, value: unknown): unknown {
  if (
    typeof value !== 'string' ||
    !/^[0-9a-f]+$/.test(value) ||
    value.length <= shownHexDigits + 2
  ) {
    return value
  }
  return `${value.slice(0, shownHexDigits)}… (${value.length >> 1} bytes)`
}
