/** Commands that talk to a daemon. @module */
import { Command, Option } from 'commander'
import { maxGraceMs } from '../../control/limits.ts'
import { exitCodes } from '../exit-codes.ts'
import { loaded, rawOutput, wholeNumber } from './options.ts'

/** Makes a command with `--state`, which names the daemon's state folder. */
function controlCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--state <dir>', 'state folder of the daemon (default: as causeway daemon)')
}

/** Makes a command about one deployment of the daemon. */
export function deploymentCommand(name: string, description: string): Command {
  return controlCommand(name, description).argument(
    '<id>',
    'id of a deployment, or the beginning of its name',
  )
}

export function deployCommand(): Command {
  return controlCommand(
    'deploy',
    'give a deployment to the daemon, which runs it as its schedule says',
  )
    .argument('<deployment>', 'deployment file (JSON)')
    .option('--replace', 'put it in the place of one with the same id; keys and logs stay')
    .option('--wait', 'wait until its job runs, or could not be started')
    .option('--allow-local-images', 'allow image URLs with file: and http: to loopback')
    .option('--json', 'print what the daemon knows of it as JSON')
    .addHelpText(
      'after',
      `
The daemon keeps copies: the file, its bundle and its keys are not needed any more.
Exit code with --wait: 0 when the job runs or has run; ${exitCodes.failed} when it could not be started.`,
    )
    .action(loaded(async () => (await import('../deployments/deploy.ts')).deploy))
}

export function psCommand(): Command {
  return controlCommand('ps', 'list the daemon’s deployments')
    .option('--all', 'also those that are stopped or have nothing more to do')
    .option('--json', 'print one JSON document')
    .action(loaded(async () => (await import('../deployments/ps.ts')).ps))
}

export function logsCommand(): Command {
  return deploymentCommand('logs', 'print a deployment’s log')
    .option('-f, --follow', 'go on until nothing more is planned for it')
    .option('--since <seq>', 'only entries with a higher number', wholeNumber())
    .option('--tail <n>', 'only the last entries', wholeNumber())
    .addOption(new Option('--stream <name...>', 'only these').choices(['stdout', 'stderr', 'host']))
    .option('--json', 'print the entries: one JSON document a line, with its number')
    .option('--raw', rawOutput)
    .addHelpText(
      'after',
      '\nWhat the job wrote to stderr and what the host says goes to stderr, unless --json is given.',
    )
    .action(loaded(async () => (await import('../deployments/logs.ts')).logs))
}

export function inspectCommand(): Command {
  return deploymentCommand(
    'inspect',
    'show a deployment: what it is, where it runs, how its executions ended',
  )
    .option('--json', 'print one JSON document, with the whole history')
    .addHelpText('after', '\nValues of its environment and its keys are never shown.')
    .action(loaded(async () => (await import('../deployments/inspect.ts')).inspect))
}

export function stopCommand(): Command {
  const expected = `expected a whole number up to ${maxGraceMs}`
  return deploymentCommand(
    'stop',
    'end what runs of a deployment, and begin nothing of it until causeway start',
  )
    .option(
      '--grace <ms>',
      'time between SIGTERM to the job and the end of its tree',
      wholeNumber(expected, { most: maxGraceMs }),
    )
    .action(loaded(async () => (await import('../deployments/stop.ts')).stop))
}

export function startCommand(): Command {
  return deploymentCommand(
    'start',
    'let a stopped deployment run again; one that is over begins once more',
  ).action(loaded(async () => (await import('../deployments/stop.ts')).start))
}

export function rmCommand(): Command {
  return deploymentCommand(
    'rm',
    'remove a deployment with its logs; its derived keys come again with it',
  )
    .option('--force', 'end it first; also for one whose files are damaged')
    .option('--keys', 'forget its imported keys, too; they can not be derived again')
    .action(loaded(async () => (await import('../deployments/rm.ts')).rm))
}
