/** Finds the known word nearest to a mistyped one, for "did you mean". @module */

/**
 * The candidate that `word` most likely means: equal except for case and `-` or `_`, or at most two
 * edits away (one for words of up to four letters). An edit adds, drops or changes a letter, or swaps
 * two neighbours. Undefined when none is near.
 */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const plain = squeeze(word)
  let best: string | undefined
  let bestDistance = Math.min(plain.length <= 4 ? 1 : 2, plain.length - 1) + 1
  for (const candidate of candidates) {
    const distance = editDistance(plain, squeeze(candidate), bestDistance)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Whether two words are equal except for case and `-` or `_`, or one edit away. */
export function isOneEdit(word: string, other: string): boolean {
  return editDistance(squeeze(word), squeeze(other), 2) < 2
}

function squeeze(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '')
}

/** Number of edits (optimal string alignment), or `limit` if there are not fewer. */
function editDistance(a: string, b: string, limit: number): number {
  // This also makes a field name of a megabyte cheap.
  if (Math.abs(a.length - b.length) >= limit) return limit
  const first = Array.from({ length: b.length + 1 }, (_, index) => index)
  let rows: Rows = [[], first]
  for (let index = 0; index < a.length; index++) rows = [rows[1], nextRow(rows, a, index, b)]
  return Math.min(rows[1].at(-1) ?? limit, limit)
}

/** The last two rows of the table. */
type Rows = readonly [before: readonly number[], above: readonly number[]]

function nextRow([before, above]: Rows, a: string, index: number, b: string): number[] {
  const row = [index + 1]
  for (let column = 1; column < above.length; column++) {
    const change = (above[column - 1] ?? 0) + (b[column - 1] === a[index] ? 0 : 1)
    const isSwap = column > 1 && a[index] === b[column - 2] && a[index - 1] === b[column - 1]
    const swap = isSwap ? (before[column - 2] ?? Infinity) + 1 : Infinity
    row.push(Math.min(change, swap, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1))
  }
  return row
}
