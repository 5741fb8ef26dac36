/**
 * `causeway keys`: the host's root secret and the keys of deployments.
 * @module
 */
import { Command } from 'commander'
import { keysExportCommand } from './export.ts'
import { keysImportCommand } from './import.ts'
import { keysPassphraseCommand } from './passphrase.ts'
import { keysRotateCommand } from './rotate.ts'
import { keysShowCommand } from './show.ts'

const commands = [
  keysShowCommand,
  keysExportCommand,
  keysImportCommand,
  keysPassphraseCommand,
  keysRotateCommand,
]

export function keysCommand(): Command {
  const keys = new Command('keys').description(
    'show, move and protect keys; no secret is ever taken from or put into arguments',
  )
  for (const create of commands) keys.addCommand(create().exitOverride())
  return keys
}
