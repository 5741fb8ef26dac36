/** Finds a setting's place in the text of a TOML file: the parser keeps no positions. @module */

export interface Position {
  /** From 1. */
  line: number
  /** From 1, in UTF-16 units. */
  column: number
}

/**
 * Where the text sets a path, or the deepest part of it that the text sets; undefined for none.
 * @param text a file that the TOML parser accepts
 * @param path keys from the root; indexes of arrays are ignored
 */
export function positionOf(text: string, path: readonly string[]): Position | undefined {
  let table: string[] = []
  let best: (Position & { depth: number }) | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', name, header] =
      /^(\s*)(?:([^\s=#[\]]+)\s*=|\[+([^\]]+)\])/.exec(line) ?? []
    if (name === undefined && header === undefined) continue
    if (header !== undefined) table = keysOf(header)
    const keys = name === undefined ? table : [...table, ...keysOf(name)]
    const depth = keys.every((key, at) => key === path[at]) ? keys.length : 0
    if (depth > (best?.depth ?? 0)) best = { depth, line: index + 1, column: indent.length + 1 }
  }
  return best && { line: best.line, column: best.column }
}

/** The parts of a dotted key. */
function keysOf(text: string): string[] {
  return text.split('.').map((key) => key.trim().replace(/^(["'])(.*)\1$/, '$2'))
}
