/**
 * A job's output, cut into lines of bounded length.
 * @module
 */

const lineEnd = 0x0a
const defaultMaxBytes = 16 * 1024
const longestCharacter = 4

/** A line without its end, or a piece of one. */
export interface LinePiece {
  bytes: Buffer
  /** No line's end followed. */
  partial: boolean
}

export interface LineSplitter {
  /** Whether the start of a line waits for the rest of it. */
  readonly isPending: boolean
  /** The lines that end in these bytes, and pieces of what is longer than allowed. */
  push(chunk: Buffer): LinePiece[]
  /** What waits so far, so that a prompt shows; the beginning of a character waits on. */
  flush(): LinePiece[]
  /** All that waits. */
  end(): LinePiece[]
}

/** @param maxBytes of a piece: a line without end must not fill the memory */
export function createLineSplitter(maxBytes = defaultMaxBytes): LineSplitter {
  let pending = Buffer.alloc(0)
  const take = (length: number): LinePiece[] => {
    const bytes = pending.subarray(0, length)
    pending = Buffer.from(pending.subarray(length))
    return bytes.length > 0 ? [{ bytes, partial: true }] : []
  }
  return {
    get isPending() {
      return pending.length > 0
    },
    push(chunk) {
      const data = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
      const { pieces, rest } = splitLines(data, maxBytes)
      // A copy: a few bytes must not keep the whole chunk.
      pending = Buffer.from(rest)
      return pieces
    },
    flush: () => take(wholeCharacters(pending)),
    end: () => take(pending.length),
  }
}

function splitLines(data: Buffer, maxBytes: number): { pieces: LinePiece[]; rest: Buffer } {
  const pieces: LinePiece[] = []
  let start = 0
  for (let end = data.indexOf(lineEnd); end >= 0; end = data.indexOf(lineEnd, start)) {
    start = cutLong(data.subarray(0, end), start, maxBytes, pieces)
    pieces.push({ bytes: data.subarray(start, end), partial: false })
    start = end + 1
  }
  start = cutLong(data, start, maxBytes, pieces)
  return { pieces, rest: data.subarray(start) }
}

/** Cuts pieces off until the rest is short enough. @returns where the rest begins */
function cutLong(line: Buffer, from: number, maxBytes: number, pieces: LinePiece[]): number {
  let start = from
  while (line.length - start > maxBytes) {
    const piece = line.subarray(start, start + maxBytes)
    // Not within a character: both halves would no longer be text.
    const bytes = piece.subarray(0, wholeCharacters(piece) || maxBytes)
    pieces.push({ bytes, partial: true })
    start += bytes.length
  }
  return start
}

/** The length without the beginning of a UTF-8 character at the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back < longestCharacter && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    return characterLength(byte) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function characterLength(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : longestCharacter
}
