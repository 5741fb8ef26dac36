/**
 * Options that several commands share.
 * @module
 */
import { Option, type Command } from 'commander'
import { logLevels } from '@causeway/service/log'

/** Values of the shared options. */
export interface SharedOptions {
  state?: string
  config?: string
  passphraseFile?: string
  logLevel: string
}

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
      new Option('--log-level <level>', 'JSON log lines on stderr')
        .choices(logLevels)
        .default('warn'),
    )
}

/** The file with the root secret's passphrase, if one was named. */
export function passphraseOf({ passphraseFile }: SharedOptions): { passphraseFile?: string } {
  return passphraseFile === undefined ? {} : { passphraseFile }
}
