/**
 * What is known of a running execution only while it runs.
 * @module
 */
import type { ImageProgress } from '@causeway/images'
import type { ExecutionEvent } from './execution-request.ts'

export type LivePhase = 'idle' | 'preparing' | 'running' | 'restarting'

export interface LiveState {
  readonly phase: LivePhase
  /** Of the image, while it is prepared. */
  readonly progress: ImageProgress | undefined
  /** Name of the bridge's socket. */
  readonly socket: string | undefined
  /** Host uid of the job. */
  readonly uid: number | undefined
  /** The layers around it, for people. */
  readonly sandbox: string | undefined
  begin(): void
  take(event: ExecutionEvent): void
  end(): void
}

type Facts = Pick<LiveState, 'phase' | 'progress' | 'socket' | 'uid' | 'sandbox'>

const nothing: Facts = {
  phase: 'idle',
  progress: undefined,
  socket: undefined,
  uid: undefined,
  sandbox: undefined,
}

export function createLiveState(): LiveState {
  let facts = nothing
  return {
    get phase() {
      return facts.phase
    },
    get progress() {
      return facts.progress
    },
    get socket() {
      return facts.socket
    },
    get uid() {
      return facts.uid
    },
    get sandbox() {
      return facts.sandbox
    },
    begin: () => void (facts = { ...nothing, phase: 'preparing' }),
    take: (event) => void (facts = { ...facts, ...newsOf(event) }),
    end: () => void (facts = nothing),
  }
}

function newsOf(event: ExecutionEvent): Partial<Facts> {
  switch (event.type) {
    case 'image-progress':
      return { progress: event.progress }
    case 'root-ready':
      return { progress: undefined }
    case 'bridge-open':
      return { socket: event.socket }
    case 'job-started':
      return { phase: 'running', uid: event.uid, sandbox: event.sandbox }
    case 'restarting':
      return { phase: 'restarting' }
    case 'image-verified':
    case 'attempt-ended':
    case 'warning':
      return {}
  }
}
