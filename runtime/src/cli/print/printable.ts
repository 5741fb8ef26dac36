/**
 * Makes text safe for a terminal. Much of it comes from jobs and their files, whose control sequences
 * could rewrite what the operator sees.
 * @module
 */

/** Replaces control and format characters by `?`; line breaks stay. */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, '?')
}

/** A document of JSON as a line for stdout: whole for a program, safe for a terminal. */
export function jsonLine(document: unknown): string {
  const line = `${JSON.stringify(document)}\n`
  return process.stdout.isTTY ? printable(line) : line
}

/** Prints lines for a person, or a document of JSON. */
export function print(text: string): void {
  process.stdout.write(printable(`${text}\n`))
}
