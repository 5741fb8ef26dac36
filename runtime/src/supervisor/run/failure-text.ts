/** Text for an error that kept an execution from starting, for its record. @module */
import { ImageError } from '@causeway/images'
import { DocumentError } from '@causeway/manifest'
import { StartError } from '../../errors/start-error.ts'

/** Without the stack, which only the host's own log has. */
export function failureText(error: unknown): string {
  if (error instanceof DocumentError) return `INVALID_DOCUMENT: ${error.message}`
  if (error instanceof StartError || error instanceof ImageError)
    return `${error.kind}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}
