/**
 * Ends a command that can't do its work with one message for a person and one exit code.
 * @module
 */
import { exitCodes } from './exit-codes.ts'
import { printable } from './print/printable.ts'
import { marked } from './print/screen.ts'

const configErrorName = 'ConfigError'
// Known by name: importing the classes would load the image store for every command.
const kindNames = ['StartError', 'ImageError', configErrorName]

/** Gives `KIND: what was wrong` without a stack; unexpected errors keep theirs for a bug report. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'DocumentError') return `INVALID_DOCUMENT:\n${error.message}`
  if ('kind' in error && kindNames.includes(error.name))
    return `${String(error.kind)}: ${error.message}`
  return 'code' in error || error.constructor === Error
    ? error.message
    : (error.stack ?? error.message)
}

/** Runs what writes to stdout. It ends early when its reader (`causeway logs … | head`) has left. */
export async function untilReaderLeaves(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

/** Prints why and sets the exit code, by default that of the error. */
export function fail(error: unknown, code: number = exitCodeFor(error)): void {
  const mark = marked(process.stderr, 'causeway:')
  process.stderr.write(`${mark} ${printable(describeFailure(error))}\n`)
  process.exitCode = code
}

/** A service manager can tell a mistake in the configuration from what may pass. */
function exitCodeFor(error: unknown): number {
  const isConfig = error instanceof Error && error.name === configErrorName
  return isConfig ? exitCodes.config : exitCodes.failed
}
