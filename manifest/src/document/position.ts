/** Converts offsets of a text to line and column. @module */

/** A place in a text; both numbers start at 1, the column counts UTF-16 code units. */
export interface Position {
  line: number
  column: number
}

/** Finds the place of an offset in one text. */
export type Locate = (offset: number) => Position

/** Finds the lines of `text` once; a line ends with LF, CR LF or a lone CR. */
export function createLocator(text: string): Locate {
  const starts = lineStarts(text)
  return (offset) => {
    const line = lastAtMost(starts, offset)
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length)
  return starts
}

/** Index of the last element not above `limit`; assumes that the first one is 0. */
function lastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((sorted[middle] ?? 0) <= limit) low = middle
    else high = middle - 1
  }
  return low
}
