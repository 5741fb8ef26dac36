/**
 * What a request is refused with: a status, a stable kind, and a text for a person.
 * @module
 */
import { ImageError } from '@causeway/images'
import { DocumentError } from '@causeway/manifest'
import { StartError, type StartErrorKind } from '../errors/start-error.ts'

/** Body of every answer that is no success. */
export interface ErrorBody {
  error: { kind: string; message: string }
}

/** A request that is wrong in itself. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number
  readonly kind: string

  constructor(status: number, kind: string, message: string) {
    super(message)
    this.status = status
    this.kind = kind
  }
}

export function invalidRequest(message: string): ControlError {
  return new ControlError(400, 'INVALID_REQUEST', message)
}

/** A failure as its client sees it; what is not meant for clients stays in the daemon's log. */
export function answerOf(error: unknown): { status: number; body: ErrorBody } {
  const { status, kind, message } = describe(error)
  return { status, body: { error: { kind, message } } }
}

const statuses: Partial<Record<StartErrorKind, number>> = {
  DEPLOYMENT_UNKNOWN: 404,
  DEPLOYMENT_EXISTS: 409,
  DEPLOYMENT_BUSY: 409,
  DEPLOYMENT_NOT_RUNNING: 409,
  RECORD_DAMAGED: 409,
  RECORD_UNSAVED: 507,
}
const unprocessable = 422

function describe(error: unknown): Pick<ControlError, 'status' | 'kind' | 'message'> {
  if (error instanceof ControlError) return error
  if (error instanceof StartError) {
    const { kind, message } = error
    return { status: statuses[kind] ?? unprocessable, kind, message }
  }
  if (error instanceof DocumentError)
    return { status: unprocessable, kind: 'INVALID_DOCUMENT', message: error.message }
  if (error instanceof ImageError)
    return { status: unprocessable, kind: error.kind, message: error.message }
  return { status: 500, kind: 'INTERNAL', message: messageOf(error) }
}

/** A full disk or a missing right is for the operator to know. */
function messageOf(error: unknown): string {
  const isSystem = error instanceof Error && 'code' in error && 'syscall' in error
  return isSystem ? error.message : 'internal error; the daemon’s log says more'
}
