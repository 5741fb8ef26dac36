/** What declarations of commands share: groups, options, and how an action is loaded. @module */
import { Command, InvalidArgumentError, Option } from 'commander'

// The levels of createLogger; importing them would load the logger for every command.
const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']

/** What `--raw` does. */
export const rawOutput =
  'on a terminal, too, print the job’s output as it is: it may change what the terminal shows'

/** Makes an action whose module is loaded when its command is chosen. */
export function loaded<Given extends readonly unknown[]>(
  load: () => Promise<(...given: Given) => Promise<void> | void>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    const action = await load()
    await action(...given)
  }
}

/**
 * Makes a command of subcommands; each throws instead of ending the process.
 * @param withOptions adds the options that all subcommands have
 */
export function group(
  name: string,
  description: string,
  commands: readonly (() => Command)[],
  withOptions = (command: Command) => command,
): Command {
  const command = new Command(name).description(description).exitOverride()
  for (const create of commands) command.addCommand(withOptions(create()).exitOverride())
  return command
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
      new Option(
        '--log-level <level>',
        'JSON log lines on stderr (default: log.level of the configuration, warn)',
      ).choices(logLevels),
    )
}

/** Makes a parser of whole numbers from `least` to `most`. */
export function wholeNumber(
  expected = 'expected a whole number',
  { least = 0, most = Number.MAX_SAFE_INTEGER } = {},
): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(expected)
  }
}
