/** Splits a job's output into lines of limited length. @module */

const lineEnd = 0x0a
const defaultMaxBytes = 16 * 1024
const longestCharacter = 4

/** A line without its line end, or a piece of one. */
export interface LinePiece {
  bytes: Buffer
  /** True when no line end followed. */
  partial: boolean
}

export interface LineSplitter {
  /** Whether an unfinished line is buffered. */
  readonly isPending: boolean
  /** Lines that end in this chunk, and pieces of lines over the limit. */
  push(chunk: Buffer): LinePiece[]
  /** The buffered text, for a prompt to be shown; an incomplete character stays buffered. */
  flush(): LinePiece[]
  /** Everything buffered. */
  end(): LinePiece[]
}

/** @param maxBytes limit of a piece, so that an endless line does not fill the memory */
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
      // Copied, so that a few bytes do not keep the whole chunk in memory.
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

/** Cuts off pieces until the rest is within the limit. @returns offset of the rest */
function cutLong(line: Buffer, from: number, maxBytes: number, pieces: LinePiece[]): number {
  let start = from
  while (line.length - start > maxBytes) {
    const piece = line.subarray(start, start + maxBytes)
    // Cut between characters: half a character is not valid text.
    const bytes = piece.subarray(0, wholeCharacters(piece) || maxBytes)
    pieces.push({ bytes, partial: true })
    start += bytes.length
  }
  return start
}

/** The length without an incomplete UTF-8 character at the end. */
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
