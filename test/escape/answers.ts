/**
 * Parses the output of the probe.
 * @module
 */

export interface Answers {
  /** `family: attempt` of all attempts. */
  all: string[]
  /** The attempts that reached something of the host. */
  reached: string[]
}

/** @param output lines `family: attempt: reached` or `family: attempt: refused WHY`, and a summary */
export function parseAnswers(output: string): Answers {
  const rows = [...output.matchAll(/^(\w+: .*): (reached|refused .*)$/gm)]
  const name = (row: RegExpExecArray) => row[1]!
  return {
    all: rows.map(name),
    reached: rows.filter((row) => row[2] === 'reached').map(name),
  }
}
