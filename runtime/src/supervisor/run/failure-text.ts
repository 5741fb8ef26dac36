/**
 * Why an execution could not be started, for its record.
 * @module
 */
import { ImageError } from '@causeway/images'
import { DocumentError } from '@causeway/manifest'
import { StartError } from '../../errors/start-error.ts'

/** Without a stack: what is not meant for people stays in the host's own log. */
export function failureText(error: unknown): string {
  if (error instanceof DocumentError) return `INVALID_DOCUMENT: ${error.message}`
  if (error instanceof StartError || error instanceof ImageError)
    return `${error.kind}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}
