/**
 * The control API as schemas and types, which the daemon, its clients and the reference share. This
 * module loads schemas only.
 * @module
 */
import type * as v from 'valibot'
import type { protocol } from './protocol/requests.ts'

export { logEntry, logStreams, type LogEntry, type LogStream } from '../supervisor/log/log-entry.ts'
export * from '../supervisor/shown/deployment.ts'
export * from '../supervisor/shown/event.ts'
export * from '../supervisor/shown/execution.ts'
export * from './protocol/errors.ts'
export * from './protocol/host.ts'
export * from './protocol/requests.ts'

export type Protocol = typeof protocol
export type RequestName = keyof Protocol

/** Requests whose answers are streams of lines. */
export type StreamName = {
  [R in RequestName]: Protocol[R]['streams'] extends true ? R : never
}[RequestName]
export type CallName = Exclude<RequestName, StreamName>

/** The daemon's answer, or one line of a stream. */
export type Answer<R extends RequestName> = v.InferOutput<Protocol[R]['answer']>

type Given<Part extends string, T> = keyof T extends never
  ? object
  : {} extends T
    ? { [P in Part]?: T }
    : { [P in Part]: T }

/** Request → what a client sends with it. */
export type Inputs = {
  [R in RequestName]: Given<'params', v.InferInput<Protocol[R]['params']>> &
    Given<'query', v.InferInput<Protocol[R]['query']>> &
    Given<'body', v.InferInput<Protocol[R]['body']>>
}
