/** Commands that run or check one deployment without a daemon. @module */
import { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { loaded, rawOutput, withSharedOptions } from './options.ts'

export function runCommand(): Command {
  const command = new Command('run')
    .description('run a deployment in the foreground; exits with the code of its job')
    .argument('<deployment>', 'deployment file (JSON)')
    .option('--socket <name>', 'name of the abstract socket (default: a random one)')
    .option('--allow-local-images', 'allow image URLs with file: and http: to loopback')
    .option('--trace', 'print each bridge call')
    .option('--quiet', 'print errors and the job’s own output only')
    .option('--raw', rawOutput)
    .addHelpText(
      'after',
      `
Exit code: the job's; 128 + n when it died by signal n; ${exitCodes.timeout} when its time was over; ${exitCodes.failed} when it could not be started.
Ctrl-C or SIGTERM: SIGTERM to the job, after the grace time the end of its whole process tree.
A second one: that end at once. A third one: this command ends at once, and the next start clears what that leaves.`,
    )
  return withSharedOptions(command).action(loaded(async () => (await import('../run.ts')).run))
}

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('serve the bridge of a deployment without a sandbox, to every process of your uid')
    .argument('<deployment>', 'deployment file (JSON); it needs no bundle')
    .option('--socket <name>', 'name of the abstract socket (default: a random one)')
    .option('--no-limits', 'lift rate, connection, in-flight and deadline limits, for measuring')
    .addHelpText('after', '\nPrints {"socket": NAME, ...} on stdout when ready; ends on SIGTERM.')
  return withSharedOptions(command).action(loaded(async () => (await import('../serve.ts')).serve))
}

export function validateCommand(): Command {
  return new Command('validate')
    .description('check a manifest.json, or a deployment file with its bundle')
    .argument('<file>', 'manifest.json, or a deployment file')
    .option('--json', 'print the finding as JSON')
    .addHelpText('after', `\nExit code: 0 when it is right, ${exitCodes.invalid} when not.`)
    .action(loaded(async () => (await import('../validate.ts')).validate))
}

export function demoCommand(): Command {
  const command = new Command('demo').description(
    'build a small image, run the example job in it, and say what happens',
  )
  return withSharedOptions(command).action(loaded(async () => (await import('../demo.ts')).demo))
}
