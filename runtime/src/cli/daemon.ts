/** `causeway daemon`: supervises deployments until a signal ends it; SIGHUP changes settings. @module */
import { once } from 'node:events'
import { createLogger, type Logger } from '@causeway/service/log'
import { loadConfig, type Config } from '../config/config.ts'
import { openDaemon, type Daemon } from '../daemon/daemon.ts'
import { openState } from '../state/state-folders.ts'
import { exitCodes } from './exit-codes.ts'
import { describeFailure } from './failure.ts'
import { logLevelOf, passphraseOf, type SharedOptions } from './options.ts'
import { packageVersion } from './package-version.ts'
import { mostEndingMs, stopOrEndGraceOnSignals } from './signals.ts'

interface DaemonFlags extends SharedOptions {
  allowLocalImages?: boolean
}

export async function daemon(flags: DaemonFlags): Promise<void> {
  let running: Daemon | undefined
  const { stop, noGrace } = stopOrEndGraceOnSignals(() => {
    if (running) readAgain(running, flags, log)
  })
  const config = configOf(flags)
  const log = createLogger(logLevelOf(flags, config))
  tellSignals(stop, noGrace, log)
  running = await openDaemon({
    config,
    state: openState(flags.state),
    ...passphraseOf(flags),
    log,
    version: packageVersion(),
    noGrace,
  })
  const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort')
  await Promise.race([running.recovered, stopped])
  if (!stop.aborted)
    process.stdout.write(`${JSON.stringify({ control: running.control, pid: process.pid })}\n`)
  await stopped
  await running.close()
}

function configOf({ config: file, allowLocalImages }: DaemonFlags): Config {
  const config = loadConfig(file)
  if (allowLocalImages) config.images.allowLocal = true
  return config
}

/** Reads the configuration file again. A file with a mistake changes nothing. */
function readAgain(daemon: Daemon, flags: DaemonFlags, log: Logger): void {
  try {
    const next = configOf(flags)
    const changed = daemon.takeOver(next)
    log.level = logLevelOf(flags, next)
    log.warn(changed, 'SIGHUP: `taken` settings hold from now on, `left` ones need a restart')
  } catch (error) {
    log.error({ reason: describeFailure(error) }, 'SIGHUP: no setting has changed')
  }
}

/** Logs what each signal means; after the second, the daemon ends even if something hangs. */
function tellSignals(stop: AbortSignal, noGrace: AbortSignal, log: Logger): void {
  stop.addEventListener('abort', () => {
    log.warn('ending: jobs have their grace time; a second signal ends them at once')
  })
  noGrace.addEventListener('abort', () => {
    log.warn('ending at once; a third signal leaves what is not cleared yet to the next start')
    setTimeout(() => {
      log.error('not everything could be ended in time: the next start clears what is left')
      process.exit(exitCodes.failed)
    }, mostEndingMs).unref()
  })
}
