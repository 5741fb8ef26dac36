/**
 * The ways in which a check ends without passing.
 * @module
 */

const shownLength = 300

/** The bridge did not do what the check expects. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
  }
}

/** The check does not apply to this bridge or cannot run here; the message says why. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped'
}

/** @throws CheckFailed when the condition is false */
export function expectThat(condition: boolean, expected: string, found: unknown): void {
  if (!condition) throw new CheckFailed(expected, shown(found))
}

/** Shows any value or bytes as JSON in one short line. */
export function shown(value: unknown): string {
  const text = Buffer.isBuffer(value) ? value.toString('utf8') : value
  const json = JSON.stringify(text) ?? 'nothing'
  return json.length > shownLength ? `${json.slice(0, shownLength)}…` : json
}
