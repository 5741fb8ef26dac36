/**
 * Tells causes that the operator of a host can take away, by a flag, a setting, a program, a file or
 * a server, from faults of the deployment itself, which only another deployment can mend.
 * @module
 */
import { passes, saysPassing } from './host-fault.ts'

const kinds = [
  'IMAGE_URL_REFUSED',
  'IMAGE_DOWNLOAD_FAILED',
  'IMAGE_BUILD_FAILED',
  'SANDBOX_UNAVAILABLE',
  'NETWORK_UNAVAILABLE',
  'SOCKET_UNAVAILABLE',
  'STATE_UNREACHABLE',
  'ARCHITECTURE_FOREIGN',
  'KEYS_INVALID',
  'ROOT_BUSY',
  'ROOT_REPLACED',
]

/** Whether an execution that failed so is tried again: the host may have changed by then. */
export function mayPass(error: unknown): boolean {
  const kind = error instanceof Error && 'kind' in error ? String(error.kind) : ''
  return kinds.includes(kind) || passes(error)
}

/** Whether a text that begins with the kind of an error asks the operator to do something. */
export function asksOperator(text: string): boolean {
  return kinds.some((kind) => text.startsWith(`${kind}: `))
}

/** Whether a text is about something that may pass. */
export function saysMayPass(text: string): boolean {
  return asksOperator(text) || saysPassing(text)
}
