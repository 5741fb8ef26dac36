/**
 * `causeway run`: runs one deployment in the foreground and exits with the code of its job.
 * @module
 */
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { loadConfig } from '../config/config.ts'
import { runDeployment } from '../execution/foreground.ts'
import type { Job } from '../sandbox/job.ts'
import { openState } from '../state/state-folders.ts'
import { exitCodeOf } from './exit-codes.ts'
import { fail } from './failure.ts'
import { createLogger } from '@causeway/service/log'
import { passphraseOf, type SharedOptions } from './options.ts'
import { createReporter } from './print/report.ts'
import { stopOrEndGraceOnSignals } from './signals.ts'

interface RunFlags extends SharedOptions {
  socket?: string
  allowLocalImages?: boolean
  trace?: boolean
  quiet?: boolean
}

export async function run(file: string, flags: RunFlags): Promise<void> {
  const { stop: signal, noGrace } = stopOrEndGraceOnSignals()
  const reporter = createReporter(process.stderr)
  try {
    const config = loadConfig(flags.config)
    if (flags.allowLocalImages) config.images.allowLocal = true
    const exit = await runDeployment({
      file,
      state: openState(flags.state),
      config,
      ...passphraseOf(flags),
      log: createLogger(flags.logLevel),
      ...(flags.socket !== undefined && { socket: flags.socket }),
      signal,
      noGrace,
      onEvent: flags.quiet ? () => {} : reporter.event,
      ...(flags.trace && !flags.quiet && { onCall: reporter.call }),
      onOutput: passThrough,
    })
    // --quiet hides how the job itself ended, not that Causeway ended it or could not start it.
    if (!flags.quiet || exit.reason === 'start-failed' || exit.reason === 'killed') {
      reporter.exit(exit)
    }
    process.exitCode = exitCodeOf(exit)
  } catch (error) {
    fail(error)
  }
  // Unread output would keep this process alive after a signal.
  if (signal.aborted) process.exit()
}

async function passThrough({ stdout, stderr }: Pick<Job, 'stdout' | 'stderr'>): Promise<void> {
  await Promise.all([forward(stdout, process.stdout), forward(stderr, process.stderr)])
}

async function forward(from: Readable, to: Writable): Promise<void> {
  // When the reader has gone (`causeway run … | head`), the job goes on and its output is dropped.
  to.on('error', () => from.unpipe(to).resume())
  from.pipe(to, { end: false })
  await finished(from)
}
