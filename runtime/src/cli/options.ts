/**
 * Options that several commands share.
 * @module
 */
/** Values of the shared options. */
export interface SharedOptions {
  state?: string
  config?: string
  passphraseFile?: string
  logLevel: string
}

/** The file with the root secret's passphrase, if one was named. */
export function passphraseOf({ passphraseFile }: SharedOptions): { passphraseFile?: string } {
  return passphraseFile === undefined ? {} : { passphraseFile }
}
