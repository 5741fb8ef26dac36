/**
 * Text from DNS for people: whoever serves a zone decides what is in it, and it goes to terminals,
 * logs and jobs.
 * @module
 */

const mostCharacters = 120

/** Not too long, and nothing that a terminal obeys or that turns the text around. */
export function printable(text: string): string {
  const escaped = text
    .slice(0, mostCharacters)
    .replaceAll(/[^\x20-\x7e]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return text.length > mostCharacters ? `${escaped}...` : escaped
}

/** The same in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(printable(text))
}
