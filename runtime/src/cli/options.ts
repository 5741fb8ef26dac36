/** Values of options that several commands share. @module */
export interface SharedOptions {
  state?: string
  config?: string
  passphraseFile?: string
  logLevel: string
}

/** Picks the file with the passphrase of the root secret, if one was named. */
export function passphraseOf({ passphraseFile }: SharedOptions): { passphraseFile?: string } {
  return passphraseFile === undefined ? {} : { passphraseFile }
}
