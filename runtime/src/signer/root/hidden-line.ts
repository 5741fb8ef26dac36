/** Edits a line typed on a terminal in raw mode, which neither echoes nor edits. @module */
import { secretBytes } from '../secret-bytes.ts'

const keys = { interrupt: 0x03, end: 0x04, backspace: 0x08, newline: 0x0a, enter: 0x0d } as const
const eraseLine = 0x15
const erase = 0x7f
const maxBytes = 1024

/** State of the line after a byte. */
export type Typed = 'more' | 'done' | 'interrupted' | 'too-long'

export interface HiddenLine {
  type(byte: number): Typed
  /** Returns the bytes of the line; the caller zeroes them. */
  take(): Buffer
  /** Zeroes the typed bytes. */
  wipe(): void
}

export function createHiddenLine(): HiddenLine {
  const typed = secretBytes(maxBytes)
  let length = 0
  const cut = (to: number) => {
    typed.fill(0, to, length)
    length = to
    return 'more' as const
  }
  return {
    type(byte) {
      if (byte === keys.enter || byte === keys.newline) return 'done'
      if (byte === keys.interrupt || (byte === keys.end && length === 0)) return 'interrupted'
      if (byte === eraseLine) return cut(0)
      if (byte === erase || byte === keys.backspace) return cut(lastCharacter(typed, length))
      if (length === maxBytes) return 'too-long'
      typed[length++] = byte
      return 'more'
    },
    take() {
      const line = secretBytes(length)
      typed.copy(line, 0, 0, length)
      typed.fill(0)
      return line
    },
    wipe: () => void typed.fill(0),
  }
}

/** Offset of the last UTF-8 character; its continuation bytes are 10xxxxxx. */
function lastCharacter(typed: Buffer, length: number): number {
  let start = Math.max(length - 1, 0)
  while (start > 0 && ((typed[start] ?? 0) & 0xc0) === 0x80) start--
  return start
}
