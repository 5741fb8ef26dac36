/** Finds the known word nearest to a mistyped one, for "did you mean". @module */

/**
 * The candidate that `word` most likely means: equal except for case and `-` or `_`, or at most two
 * edits away (one for words of up to four letters). Undefined when none is near.
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

function squeeze(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '')
}

/** Levenshtein distance, or `limit` if the distance is not below it. */
function editDistance(a: string, b: string, limit: number): number {
  // This also makes a field name of a megabyte cheap.
  if (Math.abs(a.length - b.length) >= limit) return limit
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let index = 0; index < a.length; index++) row = nextRow(row, a.charAt(index), b, index + 1)
  return Math.min(row.at(-1) ?? limit, limit)
}

function nextRow(above: readonly number[], letter: string, b: string, first: number): number[] {
  const row = [first]
  for (let column = 1; column < above.length; column++) {
    const change = (above[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1)
    row.push(Math.min(change, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1))
  }
  return row
}
