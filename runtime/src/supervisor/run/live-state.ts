/** Facts about a running execution that no record has. @module */
import type { ImageProgress } from '@causeway/images'
import type { LookAtNetwork } from '../../network/network-view.ts'
import type { ExecutionEvent } from '../../execution/contract/request.ts'

export type LivePhase = 'idle' | 'preparing' | 'running' | 'restarting'

export interface LiveState {
  readonly phase: LivePhase
  /** Progress of the image, while it is being prepared. */
  readonly progress: ImageProgress | undefined
  /** Name of the bridge's socket. */
  readonly socket: string | undefined
  /** Host uid of the job. */
  readonly uid: number | undefined
  /** Layers of the sandbox, as text for people. */
  readonly sandbox: string | undefined
  readonly lookAtNetwork: LookAtNetwork | undefined
  /** The passing fault of the host that keeps the job from starting. */
  readonly waiting: string | undefined
  begin(): void
  /** Nothing runs; it is tried again. */
  wait(fault: string): void
  take(event: ExecutionEvent): void
  takeNetwork(look: LookAtNetwork): void
  end(): void
}

type Facts = Omit<LiveState, 'begin' | 'wait' | 'take' | 'takeNetwork' | 'end'>

const nothing: Facts = {
  phase: 'idle',
  progress: undefined,
  socket: undefined,
  uid: undefined,
  sandbox: undefined,
  lookAtNetwork: undefined,
  waiting: undefined,
}

export function createLiveState(): LiveState {
  const live: LiveState = {
    ...nothing,
    begin: () => void Object.assign(live, nothing, { phase: 'preparing' }),
    wait: (fault) => void Object.assign(live, nothing, { phase: 'preparing', waiting: fault }),
    take: (event) => void Object.assign(live, newsOf(event)),
    takeNetwork: (look) => void Object.assign(live, { lookAtNetwork: look }),
    end: () => void Object.assign(live, nothing),
  }
  return live
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
      return { phase: 'running', uid: event.uid, sandbox: event.sandbox, waiting: undefined }
    case 'restarting':
      return { phase: 'restarting' }
    case 'image-verified':
    case 'attempt-ended':
    case 'warning':
      return {}
  }
}
