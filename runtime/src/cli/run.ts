/**
 * `causeway run`: runs one deployment in the foreground and exits with the code of its job.
 * @module
 */
import { pipeline, Transform, type Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { loadConfig } from '../config/config.ts'
import { runDeployment } from '../execution/foreground.ts'
import type { Job } from '../sandbox/job.ts'
import { openState } from '../state/state-folders.ts'
import { exitCodeOf } from './exit-codes.ts'
import { fail } from './failure.ts'
import { createLogger } from '@causeway/service/log'
import { logLevelOf, passphraseOf, type SharedOptions } from './options.ts'
import { createReporter } from './print/report.ts'
import { createScreen, type Screen, type Target } from './print/screen.ts'
import { stopOrEndGraceOnSignals } from './signals.ts'

interface RunFlags extends SharedOptions {
  socket?: string
  allowLocalImages?: boolean
  trace?: boolean
  quiet?: boolean
  raw?: boolean
}

export async function run(file: string, flags: RunFlags): Promise<void> {
  const { stop: signal, noGrace } = stopOrEndGraceOnSignals()
  const screen = createScreen(flags.raw)
  const reporter = createReporter(process.stderr, screen)
  try {
    const config = loadConfig(flags.config)
    if (flags.allowLocalImages) config.images.allowLocal = true
    const exit = await runDeployment({
      file,
      state: openState(flags.state),
      config,
      ...passphraseOf(flags),
      log: createLogger(logLevelOf(flags, config)),
      ...(flags.socket !== undefined && { socket: flags.socket }),
      signal,
      noGrace,
      onEvent: flags.quiet ? () => {} : reporter.event,
      ...(flags.trace && !flags.quiet && { onCall: reporter.call }),
      onOutput: (job) => passThrough(job, screen),
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

async function passThrough(
  { stdout, stderr }: Pick<Job, 'stdout' | 'stderr'>,
  screen: Screen,
): Promise<void> {
  await Promise.all([
    forward(stdout, process.stdout, screen),
    forward(stderr, process.stderr, screen),
  ])
}

async function forward(from: Readable, to: Writable & Target, screen: Screen): Promise<void> {
  const source = to.isTTY ? shown(from, to, screen) : from
  // When the reader has gone (`causeway run … | head`), the job goes on and its output is dropped.
  to.on('error', () => source.unpipe(to).resume())
  source.pipe(to, { end: false })
  await finished(source)
}

function shown(from: Readable, to: Target, screen: Screen): Readable {
  const show = screen.ofJob(to)
  const through = new Transform({
    transform: (bytes: Buffer, _encoding, done) => done(null, show(bytes)),
  })
  // It ends with the job's stream, also when that is destroyed; `finished` tells.
  return pipeline(from, through, () => {})
}
