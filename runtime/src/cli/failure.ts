/**
 * How a command ends when it can't do its work: one message for a person, one exit code.
 * @module
 */
import { ImageError } from '@causeway/images'
import { DocumentError } from '@causeway/manifest'
import { StartError } from '../errors/start-error.ts'
import { exitCodes } from './exit-codes.ts'
import { printable } from './print/printable.ts'

/** `KIND: what was wrong`, without a stack; unexpected errors keep theirs for the bug report. */
export function describeFailure(error: unknown): string {
  if (error instanceof DocumentError) return `INVALID_DOCUMENT:\n${error.message}`
  if (error instanceof StartError || error instanceof ImageError)
    return `${error.kind}: ${error.message}`
  if (!(error instanceof Error)) return String(error)
  return 'code' in error || error.constructor === Error
    ? error.message
    : (error.stack ?? error.message)
}

/** Prints why and sets the exit code. */
export function fail(error: unknown, code: number = exitCodes.failed): void {
  process.stderr.write(`causeway: ${printable(describeFailure(error))}\n`)
  process.exitCode = code
}
