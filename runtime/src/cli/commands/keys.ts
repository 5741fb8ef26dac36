/**
 * `causeway keys` and `causeway audit`: the host's root secret, keys of deployments, and the log of
 * their uses.
 * @module
 */
import { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { group, loaded, wholeNumber, withSharedOptions } from './options.ts'

const whichDeployment =
  'deployment file (JSON), or the id or the beginning of the name of a deployment of the daemon'

export function keysCommand(): Command {
  return group(
    'keys',
    'show, move and protect keys; no secret is ever taken from or put into arguments',
    [showCommand, exportCommand, importCommand, passphraseCommand, rotateCommand],
    withSharedOptions,
  )
}

function showCommand(): Command {
  return new Command('show')
    .description('print the public keys of a deployment and where each comes from')
    .argument('<deployment>', whichDeployment)
    .option('--json', 'as JSON')
    .action(loaded(async () => (await import('../keys/show.ts')).show))
}

function exportCommand(): Command {
  return new Command('export')
    .description('write all private keys of a deployment to a new file of mode 0600')
    .argument('<deployment>', whichDeployment)
    .requiredOption('--out <file>', 'the file, which must not be there yet')
    .addHelpText(
      'after',
      '\nOn the other host name the file as "keys" in the deployment file, or: causeway keys import',
    )
    .action(loaded(async () => (await import('../keys/export.ts')).exportKeys))
}

function importCommand(): Command {
  return new Command('import')
    .description('keep keys of a deployment in the state folder, for every start from now on')
    .argument('<deployment>', whichDeployment)
    .option('--from <file>', 'keys file of mode 0600, as causeway keys export writes it')
    .option('--forget', 'remove what was imported; derived keys take its place')
    .addHelpText('after', '\nKeys in a file that the deployment names as "keys" come first.')
    .action(loaded(async () => (await import('../keys/import.ts')).importKeys))
}

function passphraseCommand(): Command {
  return new Command('passphrase')
    .description('set, change or remove the passphrase of the root secret')
    .option('--new-passphrase-file <file>', 'file of mode 0600 with the new one, instead of asking')
    .option('--remove', 'keep the root secret in the clear, in a file of mode 0600')
    .addHelpText('after', '\nRunning bridges go on; a lost passphrase is a lost root secret.')
    .action(loaded(async () => (await import('../keys/passphrase.ts')).changePassphrase))
}

function rotateCommand(): Command {
  return new Command('rotate-root')
    .description('make a new root secret: every derived key and the processor’s account change')
    .option('--yes', 'do it; without it, only say what would change')
    .option('--new-passphrase-file <file>', 'file of mode 0600 with the passphrase of the new one')
    .option('--no-passphrase', 'keep the new one in the clear, in a file of mode 0600')
    .addHelpText('after', '\nWithout either, the new one is kept as the old one was.')
    .action(loaded(async () => (await import('../keys/rotate.ts')).rotate))
}

export function auditCommand(): Command {
  const commands = [auditShowCommand, auditVerifyCommand]
  return group('audit', 'the log of every use of a deployment’s keys', commands, withSharedOptions)
}

function auditShowCommand(): Command {
  return new Command('show')
    .description('print the log, unchecked')
    .argument('<deployment>', whichDeployment)
    .option(
      '--last <n>',
      'only the last lines',
      wholeNumber('expected a whole number above 0', { least: 1 }),
    )
    .option('--json', 'the lines as they are in the log')
    .action(loaded(async () => (await import('../audit.ts')).show))
}

function auditVerifyCommand(): Command {
  return new Command('verify')
    .description('find out whether lines were changed, removed or put in; a bridge may be running')
    .argument('<deployment>', whichDeployment)
    .option('--json', 'print the finding as JSON')
    .addHelpText('after', `\nExit code: 0 when it is right, ${exitCodes.invalid} when not.`)
    .action(loaded(async () => (await import('../audit.ts')).verify))
}
