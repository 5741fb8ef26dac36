/** Formats events of an execution for the deployment's log. @module */
import type { ImageProgress } from '@causeway/images'
import { describeExit } from '../../execution/contract/exit.ts'
import type { ExecutionEvent } from '../../execution/contract/request.ts'

/** One line; undefined for progress within a phase. */
export function createEventText(): (event: ExecutionEvent) => string | undefined {
  let phase: ImageProgress['phase'] | undefined
  return (event) => {
    if (event.type !== 'image-progress') return describe(event)
    if (event.progress.phase === phase) return undefined
    phase = event.progress.phase
    return `image: ${phase}`
  }
}

function describe(event: Exclude<ExecutionEvent, { type: 'image-progress' }>): string {
  switch (event.type) {
    case 'warning':
      return `note: ${event.message}`
    case 'image-verified':
      return `image verified: sha256 ${event.sha256}, ${event.bytes} bytes${event.fromCache ? ', from the cache' : ''}`
    case 'root-ready':
      return `root ready: ${event.bytes} bytes in ${Math.round(event.durationMs)} ms`
    case 'bridge-open':
      return `bridge open: abstract socket ${event.socket}`
    case 'job-started':
      return `job started: uid ${event.uid}, ${event.sandbox}`
    case 'attempt-ended':
      return `attempt ${event.attempt} ended: ${describeExit(event.exit)}`
    case 'restarting':
      return `attempt ${event.attempt} starts in ${event.delayMs} ms`
  }
}
