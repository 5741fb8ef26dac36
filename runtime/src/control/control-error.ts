/** Turns an error into an answer: a status, a stable kind, and a text for a person. @module */
import { ImageError } from '@causeway/images'
import { DocumentError } from '@causeway/manifest'
import { isFull } from '../errors/host-fault.ts'
import { StartError } from '../errors/start-error.ts'
import { errorKinds, type ErrorBody, type ErrorKind } from './protocol.ts'

/** A request that is wrong in itself. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly kind: ErrorKind

  constructor(kind: ErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

export function invalidRequest(message: string): ControlError {
  return new ControlError('INVALID_REQUEST', message)
}

/** Describes an error to a client; what is not meant for clients stays in the daemon's log. */
export function answerOf(error: unknown): { status: number; body: ErrorBody } {
  const { kind, message } = describe(error)
  return { status: statusOf(kind), body: { error: { kind, message } } }
}

function statusOf(kind: ErrorKind): number {
  const found = Object.entries(errorKinds).find(([, kinds]) => kinds.some((one) => one === kind))
  return found ? Number(found[0]) : 500
}

function describe(error: unknown): { kind: ErrorKind; message: string } {
  if (error instanceof ControlError) return error
  if (error instanceof StartError || error instanceof ImageError) return error
  if (error instanceof DocumentError) return { kind: 'INVALID_DOCUMENT', message: error.message }
  return { kind: isFull(error) ? 'DISK_FULL' : 'INTERNAL', message: messageOf(error) }
}

/** Shows system errors, such as a full disk, and hides all others. */
function messageOf(error: unknown): string {
  const isSystem = error instanceof Error && 'code' in error && 'syscall' in error
  return isSystem ? error.message : 'internal error; the daemon’s log says more'
}
