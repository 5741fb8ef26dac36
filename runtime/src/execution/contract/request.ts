/**
 * The contract between supervisor and execution, so that tests of one do not need the other.
 * @module
 */
import type { Readable } from 'node:stream'
import type { ImageProgress } from '@causeway/images'
import type { CallRecord } from '../../bridge/dispatch.ts'
import type { LookAtNetwork } from '../../network/network-view.ts'
import type { JobExit } from './exit.ts'
import type { LoadedDeployment } from '../../deployment/load.ts'

/** Events of an execution, in order; `warning` may come at any time. */
export type ExecutionEvent =
  | { type: 'warning'; message: string }
  | { type: 'image-progress'; progress: ImageProgress }
  | { type: 'image-verified'; sha256: string; bytes: number; fromCache: boolean; url: string }
  /** `bytes`: size of the unpacked image. */
  | { type: 'root-ready'; bytes: number; durationMs: number; fromCache: boolean }
  | { type: 'bridge-open'; socket: string; deployment: string }
  | {
      type: 'job-started'
      attempt: number
      uid: number
      sandbox: string
      command: readonly string[]
    }
  | { type: 'attempt-ended'; attempt: number; exit: JobExit }
  | { type: 'restarting'; attempt: number; delayMs: number }

export interface ExecutionRequest {
  loaded: LoadedDeployment
  /** Folder of the execution; a root that an earlier attempt prepared there is used again. */
  folder: string
  firstAttempt: number
  /** Restarts so far. */
  restarts: number
  allowLocalImages: boolean
  /** Ends the execution: SIGTERM to the job; SIGKILL to its tree after the grace period. */
  signal: AbortSignal
  /** Grace period, read when `signal` aborts; undefined for the host's setting. */
  graceMs: () => number | undefined
  /** Once aborted, jobs stop without a grace period, and a running grace period ends. */
  noGrace?: AbortSignal
  /** Unix ms at which the execution ends in any case, with exit `timeout`. */
  deadline?: number
  onEvent: (event: ExecutionEvent) => void
  /** Reads the job's output; resolves when both streams have ended. */
  onOutput: (job: { stdout: Readable; stderr: Readable }, attempt: number) => Promise<unknown>
  /** Receives a function that returns the state of the job's network while it runs. */
  onNetwork?: (look: LookAtNetwork) => void
  /** Name of the bridge's socket; random by default. */
  socket?: string
  /** Observes every call of the job; without an observer a call costs less. */
  onCall?: (record: CallRecord) => void
}

/** @throws DocumentError, ImageError, StartError, or the signal's reason before the job runs */
export type Execute = (request: ExecutionRequest) => Promise<{ exit: JobExit }>
