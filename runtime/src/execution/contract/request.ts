/**
 * What a deployment asks of whoever runs jobs, so that its tests need no sandbox.
 * @module
 */
import type { Readable } from 'node:stream'
import type { ImageProgress } from '@causeway/images'
import type { CallRecord } from '../../bridge/dispatch.ts'
import type { LookAtNetwork } from '../../network/network-view.ts'
import type { JobExit } from './exit.ts'
import type { LoadedDeployment } from '../../deployment/load.ts'

/** What happens in an execution, in order; `warning` may come at any time. */
export type ExecutionEvent =
  | { type: 'warning'; message: string }
  | { type: 'image-progress'; progress: ImageProgress }
  | { type: 'image-verified'; sha256: string; bytes: number; fromCache: boolean; url: string }
  /** `bytes` of the unpacked image. */
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
  /** Of the execution; a root that an earlier attempt prepared there is used again. */
  folder: string
  firstAttempt: number
  /** Restarts that count already. */
  restarts: number
  allowLocalImages: boolean
  /** Ends it: SIGTERM to the job, after the grace time the whole tree. */
  signal: AbortSignal
  /** Read when the signal is there; undefined for the host's own setting. */
  graceMs: () => number | undefined
  /** Once it is there, what is ended has no grace time, or no more of it. */
  noGrace?: AbortSignal
  /** Unix ms at which it is ended, whatever it is doing; its exit is `timeout` then. */
  deadline?: number
  onEvent: (event: ExecutionEvent) => void
  /** Resolves when both streams have ended. */
  onOutput: (job: { stdout: Readable; stderr: Readable }, attempt: number) => Promise<unknown>
  /** Given the way to look at its network, as long as it runs. */
  onNetwork?: (look: LookAtNetwork) => void
  /** Name of the bridge's socket; default a random one. */
  socket?: string
  /** Sees every call of the job; without it a call costs less. */
  onCall?: (record: CallRecord) => void
}

/** @throws DocumentError, ImageError, StartError, or the signal's reason before the job runs */
export type Execute = (request: ExecutionRequest) => Promise<{ exit: JobExit }>
