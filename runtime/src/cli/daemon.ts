/**
 * `causeway daemon`: supervises deployments until it is told to end.
 * @module
 */
import { once } from 'node:events'
import { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { openDaemon } from '../control/open-daemon.ts'
import { openState } from '../state.ts'
import { fail } from './failure.ts'
import { createLogger, passphraseOf, withSharedOptions, type SharedOptions } from './options.ts'
import { abortOnSignals } from './signals.ts'
import { packageVersion } from './version.ts'

interface DaemonFlags extends SharedOptions {
  allowLocalImages?: boolean
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
next start continues them. A second one ends all at once.`,
    )
  return withSharedOptions(command).action(daemon)
}

async function daemon(flags: DaemonFlags): Promise<void> {
  const stopped = abortOnSignals()
  try {
    const config = loadConfig(flags.config)
    if (flags.allowLocalImages) config.images.allowLocal = true
    const { control, close } = await openDaemon({
      config,
      state: openState(flags.state),
      ...passphraseOf(flags),
      log: createLogger(flags.logLevel),
      version: packageVersion(),
    })
    process.stdout.write(`${JSON.stringify({ control, pid: process.pid })}\n`)
    if (!stopped.aborted) await once(stopped, 'abort')
    await close()
  } catch (error) {
    fail(error)
  }
}
