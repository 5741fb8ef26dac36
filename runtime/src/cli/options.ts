/** Values of options that several commands share. @module */
import type { Config } from '../config/config.ts'

export interface SharedOptions {
  state?: string
  config?: string
  passphraseFile?: string
  logLevel?: string
}

/** The level of the host's own log. */
export function logLevelOf({ logLevel }: SharedOptions, { log }: Pick<Config, 'log'>): string {
  return logLevel ?? log.level
}

/** Picks the file with the passphrase of the root secret, if one was named. */
export function passphraseOf({ passphraseFile }: SharedOptions): { passphraseFile?: string } {
  return passphraseFile === undefined ? {} : { passphraseFile }
}
