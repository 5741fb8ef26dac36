/**
 * Options that several commands share.
 * @module
 */
import { Option, type Command } from 'commander'
import { pino, destination, type Logger } from 'pino'

/** Values of the shared options. */
export interface SharedOptions {
  state?: string
  config?: string
  passphraseFile?: string
  logLevel: string
}

const levels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']

/** Adds `--state`, `--config`, `--passphrase-file` and `--log-level`. */
export function withSharedOptions(command: Command): Command {
  return command
    .option(
      '--state <dir>',
      'folder for keys and images (default: $XDG_STATE_HOME/causeway, ~/.local/state/causeway, or /var/lib/causeway for root)',
    )
    .option('--config <file>', 'configuration file (TOML)')
    .option(
      '--passphrase-file <file>',
      'file of mode 0600 with the passphrase of the root secret, when it has one',
    )
    .addOption(
      new Option('--log-level <level>', 'JSON log lines on stderr').choices(levels).default('warn'),
    )
}

/** The file with the root secret's passphrase, if one was named. */
export function passphraseOf({ passphraseFile }: SharedOptions): { passphraseFile?: string } {
  return passphraseFile === undefined ? {} : { passphraseFile }
}

/** A logger of JSON lines on stderr; stdout belongs to jobs and to machine-readable output. */
export function createLogger(level: string): Logger {
  return pino({ level, base: null }, destination({ fd: 2, sync: true }))
}
