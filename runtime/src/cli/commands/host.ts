/** Commands about this host and its daemon. @module */
import { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { mostEndingMs } from '../signals.ts'
import { loaded, withSharedOptions } from './options.ts'

export function versionCommand(): Command {
  return new Command('version')
    .description('print the version, the bridge level and the Node version')
    .option('--json', 'as JSON')
    .action(loaded(async () => (await import('../version.ts')).version))
}

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('say what this host can do and what to do about what it can’t')
    .option('--json', 'as JSON')
    .addHelpText('after', `\nExit code: 0, or ${exitCodes.invalid} when something has a ✗.`)
  return withSharedOptions(command).action(
    loaded(async () => (await import('../doctor.ts')).doctor),
  )
}

export function daemonCommand(): Command {
  const command = new Command('daemon')
    .description('supervise deployments: run them as they are scheduled, keep their logs')
    .option('--allow-local-images', 'allow image URLs with file: and http: to loopback')
    .addHelpText(
      'after',
      `
Prints {"control": SOCKET, "pid": PID} on stdout when ready; one daemon for each state folder.
SIGTERM or Ctrl-C: SIGTERM to all jobs, after the grace time the end of their process trees; the
next start continues them. A second one ends them at once, and the daemon within ${mostEndingMs / 1000} s; a third one ends
the daemon at once. What that leaves is cleared at the next start.`,
    )
  return withSharedOptions(command).action(
    loaded(async () => (await import('../daemon.ts')).daemon),
  )
}
