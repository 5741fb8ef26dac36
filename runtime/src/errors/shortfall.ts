/** What this host lacks, with what to do about it: the check that found it knows both. @module */

/** A protection or limit that jobs do not have here. */
export interface Shortfall {
  /** For people: what is missing, and why. */
  text: string
  /** For people: one thing to do about it. */
  remedy: string
}

/** Something that this host lacks keeps a part from working. */
export class ShortfallError extends Error {
  override readonly name = 'ShortfallError'
  readonly remedy: string

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options)
    this.remedy = remedy
  }
}

/** The remedies, each once. */
export function remediesOf(shortfalls: readonly Shortfall[]): string {
  return [...new Set(shortfalls.map(({ remedy }) => remedy))].join('; ')
}

export function textsOf(shortfalls: readonly Shortfall[]): string[] {
  return shortfalls.map(({ text }) => text)
}
