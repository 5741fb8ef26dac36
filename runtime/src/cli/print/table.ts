/** Lays out text in columns. @module */

const labelWidth = 14

/** One row a line, under the names; each column is as wide as its widest cell. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [names, ...rows]
  const widths = names.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return all.map(line).join('\n')
}

/** A line of a label and its text. */
export function labelled(label: string, text: string): string {
  return `${label.padEnd(labelWidth)} ${text}`
}
