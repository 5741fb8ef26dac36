/** `causeway daemon`: supervises deployments until a signal ends it. @module */
import { once } from 'node:events'
import { createLogger, type Logger } from '@causeway/service/log'
import { loadConfig } from '../config/config.ts'
import { openDaemon } from '../daemon/daemon.ts'
import { openState } from '../state/state-folders.ts'
import { exitCodes } from './exit-codes.ts'

import { passphraseOf, type SharedOptions } from './options.ts'
import { packageVersion } from './package-version.ts'
import { mostEndingMs, stopOrEndGraceOnSignals } from './signals.ts'

interface DaemonFlags extends SharedOptions {
  allowLocalImages?: boolean
}

export async function daemon(flags: DaemonFlags): Promise<void> {
  const { stop, noGrace } = stopOrEndGraceOnSignals()
  const log = createLogger(flags.logLevel)
  tellSignals(stop, noGrace, log)
  const config = loadConfig(flags.config)
  if (flags.allowLocalImages) config.images.allowLocal = true
  const { control, recovered, close } = await openDaemon({
    config,
    state: openState(flags.state),
    ...passphraseOf(flags),
    log,
    version: packageVersion(),
    noGrace,
  })
  const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort')
  await Promise.race([recovered, stopped])
  if (!stop.aborted) process.stdout.write(`${JSON.stringify({ control, pid: process.pid })}\n`)
  await stopped
  await close()
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
