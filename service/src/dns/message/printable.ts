/**
 * Makes text from DNS safe for terminals, logs and jobs: a zone's server decides what is in it.
 * @module
 */

const mostCharacters = 120

/** Cuts long text, and escapes all that controls a terminal or reverses the text's direction. */
export function printable(text: string): string {
  const escaped = text
    .slice(0, mostCharacters)
    .replaceAll(/[^\x20-\x7e]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return text.length > mostCharacters ? `${escaped}...` : escaped
}

/** Printable text in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(printable(text))
}
